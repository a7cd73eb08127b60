import { oneLine } from '@skyfolio/kit'

export interface Customer {
  firstName: string
  lastName: string
  email: string
  /** Digits only. */
  phone: string
}

export const CUSTOMER_FIELDS = ['firstName', 'lastName', 'email', 'phone'] as const
type Field = (typeof CUSTOMER_FIELDS)[number]

const NAME_MAX = 50
const EMAIL_MAX = 254
const EMAIL = /^[^\s@<>"(),;:]+@[^\s@<>"(),;:.]+(?:\.[^\s@<>"(),;:.]+)+$/
/** What people write between digits. */
const PHONE = /^[+()\d\s./-]+$/

const MISSING: Record<Field, string> = {
  firstName: 'Please enter your first name.',
  lastName: 'Please enter your last name.',
  email: 'Please enter your e-mail address.',
  phone: 'Please enter your phone number.',
}
const INVALID: Record<Field, string> = {
  firstName: `Please enter a first name of up to ${NAME_MAX} characters.`,
  lastName: `Please enter a last name of up to ${NAME_MAX} characters.`,
  email: 'Please enter a valid e-mail address.',
  phone: 'Please enter a phone number with its area code.',
}

/**
 * Reads the details of a customer: texts as one line, the telephone number as digits. Adds a sentence to `fields` for each
 * that is missing or not valid.
 */
export function readCustomer(
  details: Partial<Record<Field, string | null | undefined>>,
  fields: Record<string, string>,
): Customer {
  const read = (field: Field, accept: (text: string) => string | null): string => {
    const text = oneLine(details[field] ?? '')
    const accepted = text === '' ? null : accept(text)
    if (accepted === null) fields[field] = text === '' ? MISSING[field] : INVALID[field]
    return accepted ?? ''
  }
  return {
    firstName: read('firstName', acceptName),
    lastName: read('lastName', acceptName),
    email: read('email', (text) => (text.length <= EMAIL_MAX && EMAIL.test(text) ? text : null)),
    phone: read('phone', acceptPhone),
  }
}

function acceptName(text: string): string | null {
  return text.length <= NAME_MAX ? text : null
}

function acceptPhone(text: string): string | null {
  const digits = text.replaceAll(/\D/g, '')
  return PHONE.test(text) && digits.length >= 10 && digits.length <= 15 ? digits : null
}
