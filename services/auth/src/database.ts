import { PrismaPg } from '@prisma/adapter-pg'
import { preparedStatements } from '@skyfolio/kit'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/client.ts'

export type Database = PrismaClient
export type Transaction = Prisma.TransactionClient

/** The Prisma client of the auth database, on a pool that raw SQL shares. */
export function openDatabase(pool: pg.Pool): Database {
  return new PrismaClient({
    adapter: new PrismaPg(pool, preparedStatements()),
    transactionOptions: { maxWait: 3_000, timeout: 10_000 },
    // Messages of other formats contain the arguments: addresses and hashes.
    errorFormat: 'minimal',
  })
}
