// Looks at a page, given as the text `page`, in frames of several widths, and leaves what is wrong with it, a line each, in an
// element of its own. The page itself has no script.

const WIDTHS = [360, 1280];
const LEAST_CONTRAST = 4.5;
const LEAST_LETTERS = 9;
const found = new Set();

window.addEventListener("error", (event) => found.add(`error: ${event.message}`));

function name(element) {
  const svg = element.closest("svg");
  const place = svg ? svg.getAttribute("aria-labelledby") : element.closest("[id]")?.id;
  const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
  return `${element.localName} "${text}" in ${place}`;
}

function isWithin(inner, outer, slack) {
  return inner.left >= outer.left - slack && inner.right <= outer.right + slack
    && inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
}

function overflow(view, width) {
  const root = view.document.documentElement;
  if (view.innerWidth !== width) found.add(`frame: ${view.innerWidth} px wide instead of ${width}`);
  if (root.scrollWidth <= width) return;
  found.add(`overflow: ${root.scrollWidth} px at ${width} px`);
  for (const element of root.querySelectorAll("body *")) {
    if (element.closest(".wide") !== null || element.closest("svg svg, svg *") !== null) continue;
    if (element.getBoundingClientRect().right > width) {
      found.add(`overflow: ${name(element)} at ${width} px`);
      return;
    }
  }
}

function overlaps(view, width) {
  for (const svg of view.document.querySelectorAll("svg")) {
    const frame = svg.getBoundingClientRect();
    if (frame.width === 0) {
      found.add(`size: ${name(svg)} is not shown at ${width} px`);
      continue;
    }
    const boxes = [...svg.querySelectorAll("text")].map((text) => [text, text.getBoundingClientRect()]);
    boxes.forEach(([text, box], index) => {
      if (!isWithin(box, frame, 1)) found.add(`cut: ${name(text)} at ${width} px`);
      for (const [other, beside] of boxes.slice(0, index)) {
        const across = Math.min(box.right, beside.right) - Math.max(box.left, beside.left);
        const down = Math.min(box.bottom, beside.bottom) - Math.max(box.top, beside.top);
        // Boxes of texts on lines under each other share the room of descenders.
        if (across > 1 && down > 0.3 * Math.min(box.height, beside.height)) {
          found.add(`overlap: "${text.textContent}" on ${name(other)} at ${width} px`);
        }
      }
    });
    const scale = frame.width / svg.viewBox.baseVal.width;
    for (const [text] of boxes) {
      const letters = parseFloat(view.getComputedStyle(text).fontSize) * scale;
      if (letters < LEAST_LETTERS) found.add(`size: ${letters.toFixed(1)} px at ${width} px`);
    }
  }
}

function channels(colour) {
  return colour.match(/[\d.]+/g).map(Number);
}

function luminance(colour) {
  const [red, green, blue] = channels(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function paper(view, element) {
  for (let each = element; each; each = each.parentElement) {
    const colour = view.getComputedStyle(each).backgroundColor;
    if (channels(colour)[3] !== 0) return colour;
  }
  return "rgb(255, 255, 255)";
}

function contrast(view) {
  const seen = new Set();
  for (const element of view.document.querySelectorAll("body *")) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
    if (!hasText || ["title", "desc"].includes(element.localName)) continue;
    const style = view.getComputedStyle(element);
    const ink = element.closest("svg") ? style.fill : style.color;
    const behind = paper(view, element);
    if (seen.has(ink + behind)) continue;
    seen.add(ink + behind);
    const [dark, light] = [luminance(ink), luminance(behind)].sort((one, other) => one - other);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < LEAST_CONTRAST) found.add(`contrast: ${ratio.toFixed(2)}, ${ink} on ${behind}, ${name(element)}`);
  }
}

// A theme changes colours alone, so only in one of them is the layout looked at.
function check(view, width) {
  contrast(view);
  if (view.matchMedia("(prefers-color-scheme: dark)").matches !== dark) found.add("theme: not the one that was asked for");
  if (dark) return;
  // As on a phone: a bar beside the page would take of its width.
  view.document.documentElement.style.scrollbarWidth = "none";
  overflow(view, width);
  view.document.querySelectorAll("details").forEach((details) => (details.open = true));
  overflow(view, width);
  overlaps(view, width);
}

for (const width of WIDTHS) {
  const frame = document.createElement("iframe");
  frame.width = width;
  frame.height = 800;
  frame.style.border = "none";
  frame.addEventListener("load", () => {
    try {
      check(frame.contentWindow, width);
    } catch (error) {
      found.add(`error: ${error}`);
    }
  });
  frame.srcdoc = page;
  document.body.append(frame);
}

window.addEventListener("load", () => {
  const list = document.createElement("pre");
  list.id = "found";
  list.textContent = `looked\n${[...found].join("\n")}`;
  document.body.replaceChildren(list);
});
