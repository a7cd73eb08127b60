import { databaseSettings, loadConfig, openPool } from '@skyfolio/kit'
import { openDatabase } from './database.ts'
import { republish } from './republish.ts'

const pool = openPool(loadConfig(databaseSettings, process.env).databaseUrl)
const count = await republish(openDatabase(pool))
await pool.end()
process.stdout.write(`${count} photos go out as soon as media or its worker runs.\n`)
