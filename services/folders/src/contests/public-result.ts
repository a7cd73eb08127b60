import { contentVersion } from '@skyfolio/kit'
import { standingsCsv } from '../voting/standings.ts'
import { RULE } from './count.ts'
import type { Result } from './results.ts'

/** What visitors get of a result. */
export interface PublicResult {
  json: string
  csv: string
  /** Changes with the texts. */
  version: string
}

interface FolderTexts {
  name: string
  description: string | null
  photographer: string | null
}

const PLACES = 3

/** The texts of a result, for all visitors. */
export function publicResult(result: Result, texts: FolderTexts): PublicResult {
  const { folder, text, closedAt, ballots, tallies, log, photos } = result
  const places = tallies.slice(0, PLACES).map(({ voters, ...tally }, index) => ({ rank: index + 1, ...tally }))
  const json = JSON.stringify({
    folder: { id: folder.id, ...texts },
    text,
    closedAt: closedAt.toISOString(),
    rule: RULE,
    ballots,
    places,
    tallies,
    log,
  })
  const titles = new Map(photos.map(({ id, title }) => [id, title]))
  const csv = standingsCsv(tallies.map((tally) => ({ ...tally, title: titles.get(tally.photoId) ?? '' })))
  return { json, csv, version: contentVersion(json) }
}
