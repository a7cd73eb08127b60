import { PrismaPg } from '@prisma/adapter-pg'
import { inTransaction, preparedStatements } from '@skyfolio/kit'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/client.ts'

export type Database = PrismaClient
export type Transaction = Prisma.TransactionClient

/** The Prisma client of the folders database, on a pool that raw SQL shares. */
export function openDatabase(pool: pg.Pool): Database {
  // Deleting a folder with very many ballots is the longest transaction.
  return new PrismaClient({
    adapter: new PrismaPg(pool, preparedStatements()),
    transactionOptions: { maxWait: 5_000, timeout: 20_000 },
  })
}

/** Runs queries whose cost grows with a folder: a statement that takes longer than `seconds` is cancelled, with 503. */
export function withTimeout<T>(pool: pg.Pool, read: (client: pg.PoolClient) => Promise<T>, seconds = 5): Promise<T> {
  return inTransaction(pool, async (client) => {
    await client.query(`SET LOCAL statement_timeout = '${seconds}s'`)
    return read(client)
  })
}
