import { emptyField, simulatedError } from '../state/errors.ts'

export type Fields = Record<string, unknown>

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Reads the fields of a request. @throws BusinessError */
export class RequestFields {
  readonly #fields: Fields

  constructor(fields: Fields) {
    this.#fields = fields
  }

  /** A text that must not be empty; a number counts as its text. */
  text(name: string): string {
    const text = this.optionalText(name)
    if (text === '') throw emptyField(name)
    return text
  }

  optionalText(name: string): string {
    const value = this.#fields[name] ?? ''
    if (typeof value === 'number') return String(value)
    if (typeof value !== 'string') throw simulatedError('9003', `${name} must be a text`)
    return value.trim()
  }

  /** A whole number, as number or text. */
  quantity(name: string): number {
    const text = this.text(name)
    if (/^[1-9]\d{0,5}$/.test(text)) return Number(text)
    throw simulatedError('9208', `${name} must be a whole number above 0`)
  }

  degrees(name: string, limit: number): number {
    const degrees = Number(this.text(name))
    if (Math.abs(degrees) <= limit) return degrees
    throw simulatedError('9003', `${name} must be a number of degrees`)
  }

  /** A list that must not be empty. */
  list(name: string): unknown[] {
    const value = this.#fields[name] ?? []
    if (!Array.isArray(value)) throw simulatedError('9003', `${name} must be a list`)
    if (value.length === 0) throw emptyField(name)
    return value
  }

  /** The objects of a list. */
  entries(name: string): RequestFields[] {
    return this.list(name).map((entry) => {
      if (isFields(entry)) return new RequestFields(entry)
      throw simulatedError('9003', `${name} must contain objects`)
    })
  }
}
