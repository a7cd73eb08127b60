import { PrismaPg } from '@prisma/adapter-pg'
import { preparedStatements } from '@skyfolio/kit'
import type pg from 'pg'
import { type Prisma, PrismaClient } from './generated/client.ts'

export type Database = PrismaClient
export type Transaction = Prisma.TransactionClient

/** Opens the Prisma client of media's database, on a pool that is also used for raw SQL. */
export function openDatabase(pool: pg.Pool): Database {
  return new PrismaClient({
    adapter: new PrismaPg(pool, preparedStatements()),
    transactionOptions: { maxWait: 5_000, timeout: 10_000 },
  })
}

/** Yields rows in pages of `size`. `read` returns those behind a row, in the beginning the first ones. */
export async function* inPages<Row>(
  size: number,
  read: (last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let last: Row | undefined; ; ) {
    const page = await read(last)
    if (page.length > 0) yield page
    if (page.length < size) return
    last = page.at(-1)
  }
}
