# Reads a header for Doxygen. A comment on lines of its own, directly above a declaration, becomes one that documents it, and those that follow
# it line by line. The comment that heads the file documents the file.

# The comment's lines as Doxygen wants them; those of the file's own say so.
function documented(text, is_first, of_file) {
  if (text ~ /^ *\/\//) {
    sub(/\/\//, "///", text)
  } else if (is_first) {
    sub(/\/\*/, "/**", text)
  }
  if (is_first && of_file) {
    sub(/\/\/\/|\/\*\*/, "& \\file\n&", text)
    sub(/\n\/\*\*/, "\n *", text)
  }
  return text
}

function emit(document, of_file,    i) {
  for (i = 1; i <= held; ++i) {
    print document ? documented(block[i], i == 1, of_file) : block[i]
  }
}

inside || /^ *\/\*/ || (/^ *\/\// && !inside) {
  if (!inside && !fresh) {
    held = 0
    fresh = 1
  }
  block[++held] = $0
  if (/^ *\/\*/) {
    inside = 1
  }
  if (/\*\//) {
    inside = 0
  }
  next
}

{
  is_code = !/^ *$/ && !/^#(if|el|endif|include|undef|error|pragma)/ && !/^ *[})]/ && !/^(extern "C"|inline namespace|namespace)/
  match($0, /^ */)
  if (fresh) {
    emit(is_code || !titled, !titled)
    titled = 1
    covers = is_code
    indent = RLENGTH
  } else if (/^ *$/) {
    covers = covers && in_macro
  } else if (covers && is_code && ended && RLENGTH == indent) {
    emit(1, 0)
  }
  fresh = 0
  print
  # Whether a declaration ends here, behind which another may stand.
  ended = (in_macro || /^#define/) ? !/\\$/ : /(;|})$/
  in_macro = (in_macro || /^#define/) && /\\$/
}

END {
  emit(0, 0)
}
