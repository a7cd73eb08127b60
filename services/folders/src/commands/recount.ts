import { readFile } from 'node:fs/promises'
import { parseBallotFile, recount } from '../contests/recount.ts'

// `npm run ops -- recount <file>`: the file is the one that an owner downloads as 'ballots'.
const [path] = process.argv.slice(2)
try {
  if (!path) throw new Error('npm run ops -- recount <file>')
  const { text, agrees } = recount(parseBallotFile(await readFile(path, 'utf8')))
  process.stdout.write(text)
  process.exitCode = agrees ? 0 : 1
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 2
}
