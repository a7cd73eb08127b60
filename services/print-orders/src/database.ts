import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/client.ts'

export type Database = PrismaClient
export type Transaction = Prisma.TransactionClient

/** The Prisma client of the print-orders database, on a pool that raw SQL shares. */
export function openDatabase(pool: pg.Pool): Database {
  // Erasing a user with very many orders is the longest transaction. None is open during a call to another server.
  return new PrismaClient({
    adapter: new PrismaPg(pool),
    transactionOptions: { maxWait: 3_000, timeout: 15_000 },
    // Messages of other formats contain the arguments: names and telephone numbers.
    errorFormat: 'minimal',
  })
}
