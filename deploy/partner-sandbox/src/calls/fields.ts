import { BusinessError, KNOWN_ERRORS, simulatedError } from '../state/business-error.ts'

export type Fields = Record<string, unknown>

/** The fields of a request. Collects what a strict partner would not like as warnings. */
export class RequestFields {
  readonly fields: Fields
  readonly #warnings: Set<string>
  readonly #path: string

  constructor(fields: Fields, warnings: Set<string>, path = '') {
    this.fields = fields
    this.#warnings = warnings
    this.#path = path
  }

  /** Notes fields that the partner's API does not know. */
  expectOnly(...names: string[]): void {
    for (const name of Object.keys(this.fields)) {
      if (!names.includes(name)) this.#warn(`unknown field ${this.#path}${name}`)
    }
  }

  /** A text that must not be empty; a number counts as its text. @throws BusinessError 851 */
  text(name: string): string {
    const text = this.optionalText(name)
    if (text !== '') return text
    throw new BusinessError('851', `${KNOWN_ERRORS['851'].text}: ${this.#path}${name}`)
  }

  optionalText(name: string): string {
    const value = this.fields[name]
    if (value === undefined || value === null) return ''
    if (typeof value === 'number') {
      this.#warn(`${this.#path}${name} is a number, the API has texts`)
      return String(value)
    }
    if (typeof value !== 'string') throw simulatedError('badValue', `${this.#path}${name} must be a text`)
    return value.trim()
  }

  /** A whole number, as number or text. @throws BusinessError */
  quantity(name: string): number {
    const value = this.fields[name]
    if (value === undefined || value === null || value === '') this.text(name)
    const text = typeof value === 'number' ? String(value) : this.optionalText(name)
    if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
    throw simulatedError('badQuantity', `${this.#path}${name} must be a whole number above 0`)
  }

  /** A list that must not be empty. @throws BusinessError */
  list(name: string): unknown[] {
    const value = this.fields[name]
    if (Array.isArray(value) && value.length > 0) return value.slice(0, MAX_LIST)
    if (value === undefined || value === null || Array.isArray(value)) {
      throw new BusinessError('851', `${KNOWN_ERRORS['851'].text}: ${this.#path}${name}`)
    }
    throw simulatedError('badValue', `${this.#path}${name} must be a list`)
  }

  /** Its entries as requests of their own. @throws BusinessError */
  entries(name: string): RequestFields[] {
    return this.list(name).map((entry, index) => {
      const path = `${this.#path}${name}[${index}].`
      if (isFields(entry)) return new RequestFields(entry, this.#warnings, path)
      throw simulatedError('badValue', `${path.slice(0, -1)} must be an object`)
    })
  }

  #warn(text: string): void {
    if (this.#warnings.size < MAX_WARNINGS) this.#warnings.add(text)
  }
}

const MAX_LIST = 20_000
const MAX_WARNINGS = 20

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
