import { accountDeleted, invalidFields } from '@skyfolio/kit'
import type { Database } from '../database.ts'
import { isErased } from '../users/begin-erasure.ts'
import { lockUser } from '../users/user-lock.ts'
import { type Customer, readCustomer } from './customer.ts'

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
