/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Content = Html | string | number | Content[]

/** HTML in which every value is escaped, except what is HTML already. */
export function html(parts: TemplateStringsArray, ...values: Content[]): Html {
  return new Html(
    parts.map((part, index) => part + (index < values.length ? textOf(values[index] ?? '') : '')).join(''),
  )
}

function textOf(value: Content): string {
  if (Array.isArray(value)) return value.map(textOf).join('')
  return value instanceof Html ? value.text : escapeText(String(value))
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeText(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
