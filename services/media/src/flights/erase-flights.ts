import type { Transaction } from '../database.ts'
import { LOCK_FLIGHTS } from './group-flights.ts'

/** Erases the flights of a user without photos, after whoever groups them. */
export async function eraseFlights(tx: Transaction, userId: number): Promise<void> {
  await tx.$queryRawUnsafe(LOCK_FLIGHTS, userId)
  await tx.$executeRaw`DELETE FROM flight_changes WHERE user_id = ${userId}`
  await tx.$executeRaw`DELETE FROM flight_photos WHERE user_id = ${userId}`
  await tx.$executeRaw`DELETE FROM flights WHERE user_id = ${userId}`
}
