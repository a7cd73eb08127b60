import { Value } from 'typebox/value'
import { type BallotFile, BallotFileBody, type Count, countBallots, digestBallots, digestEntry, RULE } from './count.ts'

const RANKS_SHOWN = 20

/** The file of this text. Throws an Error if it is none. */
export function parseBallotFile(text: string): BallotFile {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch {
    throw new Error('The file is not JSON.')
  }
  const [fault] = Value.Errors(BallotFileBody, file)
  if (fault) throw new Error(`This is no file of ballots: ${plain(`${fault.instancePath} ${fault.message}`).trim()}.`)
  return file as BallotFile
}

/** Counts the ballots of a file again. Returns what to print, and whether the file agrees with its log. */
export function recount(file: BallotFile): { text: string; agrees: boolean } {
  const titles = new Map(file.photos.map(({ id, title }) => [id, title]))
  const photos = file.photos.map(({ id }) => id)
  const count = countBallots(file.ballots, photos)
  const { ballots, excluded, tallies } = count
  const faults = findFaults(file, count)
  const rows = tallies.slice(0, RANKS_SHOWN).map(({ photoId, first, second, third, points }, index) => {
    const numbers = [index + 1, points, first, second, third].map((value) => `${value}`.padStart(7)).join('')
    return `${numbers}  ${plain(titles.get(photoId) || 'Untitled')} (photo ${photoId})`
  })
  const lines = [
    `${plain(file.folder.name)} (folder ${file.folder.id})`,
    `Voting closed ${plain(file.closedAt)}. ${ballots} ballots count, ${excluded} are excluded.`,
    RULE,
    '',
    '  Place Points Firsts  2nds   3rds  Photo',
    ...rows,
    ...(tallies.length > RANKS_SHOWN ? [`  and ${tallies.length - RANKS_SHOWN} more`] : []),
    '',
    'Log:',
    ...file.log.map(
      (entry) =>
        `  ${plain(entry.at)}  ${entry.ballots} ballots, ${entry.excluded} excluded  ${plain(entry.note)}\n    ${plain(entry.digest)}`,
    ),
    '',
    ...(faults.length === 0
      ? [`The ballots agree with the log. Compare its last digest with the page of the results.`]
      : ['The ballots do NOT agree with the log:', ...faults.map((fault) => `  ${fault}`)]),
  ]
  return { text: `${lines.join('\n')}\n`, agrees: faults.length === 0 }
}

function findFaults(file: BallotFile, count: Count): string[] {
  const { ballots: groups, photos, log, digest, rule } = file
  const faults: string[] = []
  if (rule !== RULE) faults.push('The result was counted by another rule.')
  const candidates = new Set(photos.map(({ id }) => id))
  for (const { first, second, third } of groups) {
    const chosen = [first, second, third].filter((photo) => photo !== null)
    if (new Set(chosen).size !== chosen.length) faults.push(`A ballot has photo ${chosen[0]} twice.`)
    if (chosen.some((photo) => !candidates.has(photo))) faults.push('A ballot has a photo that is no candidate.')
  }
  let before = ''
  for (const entry of log) {
    if (digestEntry(before, entry) !== entry.digest) faults.push(`The entry of ${plain(entry.at)} was changed.`)
    before = entry.digest
  }
  const last = log.at(-1)
  if (!last) faults.push('The log is empty.')
  else {
    if (last.digest !== digest) faults.push('The digest is not that of the last entry.')
    if (last.ballotsDigest !== digestBallots(file))
      faults.push('Folder, ballots, photos or closing time are not those of the last entry.')
    if (last.ballots !== count.ballots || last.excluded !== count.excluded) {
      faults.push(`The last entry has ${last.ballots} ballots and ${last.excluded} excluded ones.`)
    }
  }
  return faults
}

/** Without what would control a terminal. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
}
