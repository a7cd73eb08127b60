/** Copies a text and returns whether it succeeded. Without a secure context the old clipboard command is used. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copySelected(text)
  }
}

/** Copies from a temporary field, which is inside the open dialog if there is one: a dialog traps the focus. */
function copySelected(text: string): boolean {
  const focused = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'sr-only'
  const parent = focused?.closest('[role="dialog"]') ?? document.body
  parent.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return copied
}
