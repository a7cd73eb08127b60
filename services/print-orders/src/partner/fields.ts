import { oneLine } from '@skyfolio/kit'
import { Type } from 'typebox'

/** A value that the partner should send: text, which some of its routes send as a number. */
export const Scalar = Type.Union([Type.String(), Type.Number()])
/** A value that may be missing, null, or of another type. */
export const Loose = Type.Optional(Type.Unknown())

/** What every response may contain; store searches name the code `errCode`. Unknown fields are ignored. */
export const Envelope = Type.Object({ status: Loose, err: Loose, errCode: Loose, errDesc: Loose })

const TEXT_MAX = 2_000

/** A scalar as trimmed text on one line; null when blank or of another type. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return null
  return oneLine(value).slice(0, TEXT_MAX) || null
}

/** These fields of an entry as texts. */
export function textsOf<Name extends string>(entry: object, names: readonly Name[]): Record<Name, string | null> {
  const fields = entry as Record<string, unknown>
  return Object.fromEntries(names.map((name) => [name, textOf(fields[name])])) as Record<Name, string | null>
}

/** A count, which may be text; null when it is none. */
export function countOf(value: unknown): number | null {
  const text = textOf(value)
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** Whether one of the fields has a value. */
export function hasAny(response: object, names: string[]): boolean {
  const fields = response as Record<string, unknown>
  return names.some((name) => fields[name] !== undefined && fields[name] !== null)
}
