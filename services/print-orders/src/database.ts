import { PrismaPg } from '@prisma/adapter-pg'
import { isDeadlock, preparedStatements } from '@skyfolio/kit'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/client.ts'

export type Database = PrismaClient
export type Transaction = Prisma.TransactionClient

/** The Prisma client of the print-orders database, on a pool that raw SQL shares. */
export function openDatabase(pool: pg.Pool): Database {
  // Erasing a user with very many orders is the longest transaction. None is open during a call to another server.
  return new PrismaClient({
    adapter: new PrismaPg(pool, preparedStatements()),
    transactionOptions: { maxWait: 3_000, timeout: 15_000 },
    // Messages of other formats contain the arguments: names and telephone numbers.
    errorFormat: 'minimal',
  })
}

const ATTEMPTS = 5

/** Repeats a transaction that the database ended to resolve a deadlock: the other one has its locks meanwhile. */
export async function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt === ATTEMPTS || !isDeadlock(error)) throw error
    }
  }
}
