import { accountDeleted, invalidFields, oneLine } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { isErased, lockUser } from '../users/erasure.ts'

export interface Customer {
  firstName: string
  lastName: string
  email: string
  /** Digits only. */
  phone: string
}

const CUSTOMER_FIELDS = ['firstName', 'lastName', 'email', 'phone'] as const
type Field = (typeof CUSTOMER_FIELDS)[number]

const NAME_MAX = 50
const EMAIL_MAX = 254
const EMAIL = /^[^\s@<>"(),;:]+@[^\s@<>"(),;:.]+(?:\.[^\s@<>"(),;:.]+)+$/
/** What people write between digits. */
const PHONE = /^[+()\d\s./-]+$/

const MISSING: Record<Field, string> = {
  firstName: 'Please enter your first name.',
  lastName: 'Please enter your last name.',
  email: 'Please enter your email address.',
  phone: 'Please enter your phone number.',
}
const INVALID: Record<Field, string> = {
  firstName: `Please enter a first name of up to ${NAME_MAX} characters.`,
  lastName: `Please enter a last name of up to ${NAME_MAX} characters.`,
  email: 'Please enter a valid email address.',
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

/** The details that are remembered at the user's request; null if none. */
export async function readRemembered(db: Database, userId: number): Promise<Customer | null> {
  const found = await db.customerDetails.findUnique({ where: { userId } })
  if (!found) return null
  const { firstName, lastName, email, phone } = found
  return { firstName, lastName, email, phone }
}

/** @throws AppError 400 that names the fields that are missing or not valid */
export async function remember(
  db: Database,
  userId: number,
  details: Partial<Record<keyof Customer, string | null | undefined>>,
): Promise<Customer> {
  const fields: Record<string, string> = {}
  const customer = readCustomer(details, fields)
  if (Object.keys(fields).length > 0) throw invalidFields(fields)
  await db.$transaction(async (tx) => {
    await lockUser(tx, userId)
    if (await isErased(tx, userId)) throw accountDeleted()
    const { firstName, lastName, email, phone } = customer
    await tx.$executeRaw`
      INSERT INTO customer_details (user_id, first_name, last_name, email, phone, updated_at)
      VALUES (${userId}, ${firstName}, ${lastName}, ${email}, ${phone}, now())
      ON CONFLICT (user_id) DO UPDATE SET first_name = excluded.first_name, last_name = excluded.last_name,
        email = excluded.email, phone = excluded.phone, updated_at = excluded.updated_at`
  })
  return customer
}

export async function forget(db: Database, userId: number): Promise<void> {
  await db.customerDetails.deleteMany({ where: { userId } })
}
