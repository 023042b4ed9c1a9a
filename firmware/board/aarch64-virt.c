/* QEMU's `virt` machine with a 64-bit Arm core: its physical timer and, above it, its virtual one. Interrupts nest. */

#include "board.h"
#include "semihosting.h"

#define DISTRIBUTOR(offset) (*(volatile uint32_t *)(uintptr_t)(0x08000000 + (offset)))
#define INTERFACE(offset) (*(volatile uint32_t *)(uintptr_t)(0x08010000 + (offset)))
#define DISTRIBUTOR_CONTROL DISTRIBUTOR(0x000)
#define ENABLE DISTRIBUTOR(0x100)
#define PRIORITY(four) DISTRIBUTOR(0x400 + 4 * (four))
#define INTERFACE_CONTROL INTERFACE(0x00)
#define PRIORITY_MASK INTERFACE(0x04)
#define ACKNOWLEDGE INTERFACE(0x0C)
#define END_OF_INTERRUPT INTERFACE(0x10)

enum { VIRTUAL_TIMER = 27, PHYSICAL_TIMER = 30 };

#define SYSTEM_WRITE(name, value) __asm volatile("msr " #name ", %0\n\tisb" ::"r"((uint64_t)(value)) : "memory")

/* Every entry of the table but one is a fault; the interrupted place and state go to the stack, since interrupts nest. */
__asm(
    ".pushsection .text.reset, \"ax\"\n"
    ".global reset\n"
    "reset:\n"
    "\tldr x0, =stack_top\n"
    "\tmov sp, x0\n"
    "\tb board_run\n"
    ".balign 2048\n"
    "vectors:\n"
    ".rept 5\n\tb fault\n\t.balign 128\n.endr\n"
    "\tstp x0, x1, [sp, #-192]!\n"
    "\tstp x2, x3, [sp, #16]\n"
    "\tstp x4, x5, [sp, #32]\n"
    "\tstp x6, x7, [sp, #48]\n"
    "\tstp x8, x9, [sp, #64]\n"
    "\tstp x10, x11, [sp, #80]\n"
    "\tstp x12, x13, [sp, #96]\n"
    "\tstp x14, x15, [sp, #112]\n"
    "\tstp x16, x17, [sp, #128]\n"
    "\tstp x18, x30, [sp, #144]\n"
    "\tmrs x0, elr_el1\n"
    "\tmrs x1, spsr_el1\n"
    "\tstp x0, x1, [sp, #160]\n"
    "\tbl interrupt\n"
    "\tb leave\n"
    ".balign 128\n"
    ".rept 10\n\tb fault\n\t.balign 128\n.endr\n"
    "leave:\n"
    "\tldp x0, x1, [sp, #160]\n"
    "\tmsr elr_el1, x0\n"
    "\tmsr spsr_el1, x1\n"
    "\tldp x2, x3, [sp, #16]\n"
    "\tldp x4, x5, [sp, #32]\n"
    "\tldp x6, x7, [sp, #48]\n"
    "\tldp x8, x9, [sp, #64]\n"
    "\tldp x10, x11, [sp, #80]\n"
    "\tldp x12, x13, [sp, #96]\n"
    "\tldp x14, x15, [sp, #112]\n"
    "\tldp x16, x17, [sp, #128]\n"
    "\tldp x18, x30, [sp, #144]\n"
    "\tldp x0, x1, [sp], #192\n"
    "\teret\n"
    ".popsection\n");

extern const unsigned char vectors[];

__attribute__((used)) static void fault(void) {
  say("fault\n");
  semihosting_exit(3);
}

__attribute__((used)) static void interrupt(uintptr_t interrupted) {
  const uint32_t number = ACKNOWLEDGE;
  if (number == VIRTUAL_TIMER) {
    SYSTEM_WRITE(cntv_ctl_el0, 0);
    high_interrupt(interrupted);
  } else if (number == PHYSICAL_TIMER) {
    SYSTEM_WRITE(cntp_ctl_el0, 0);
    __asm volatile("msr daifclr, #2" ::: "memory");
    low_interrupt(interrupted);
    __asm volatile("msr daifset, #2" ::: "memory");
  }
  END_OF_INTERRUPT = number;
}

void board_start(void) {
  SYSTEM_WRITE(vbar_el1, (uintptr_t)vectors);
  PRIORITY(VIRTUAL_TIMER / 4) = 0x40u << 8 * (VIRTUAL_TIMER % 4);
  PRIORITY(PHYSICAL_TIMER / 4) = 0x80u << 8 * (PHYSICAL_TIMER % 4);
  ENABLE = 1u << VIRTUAL_TIMER | 1u << PHYSICAL_TIMER;
  DISTRIBUTOR_CONTROL = 1;
  PRIORITY_MASK = 0xF0;
  INTERFACE_CONTROL = 1;
  __asm volatile("msr daifclr, #2" ::: "memory");
}

void board_stop(void) { __asm volatile("msr daifset, #2" ::: "memory"); }

/* A tick is 16 ns, an instruction 32. */
void board_after(board_interrupt_t interrupt, uint32_t instructions) {
  if (interrupt == BOARD_LOW) {
    SYSTEM_WRITE(cntp_tval_el0, 2 * instructions);
    SYSTEM_WRITE(cntp_ctl_el0, 1);
  } else {
    SYSTEM_WRITE(cntv_tval_el0, 2 * instructions);
    SYSTEM_WRITE(cntv_ctl_el0, 1);
  }
}
