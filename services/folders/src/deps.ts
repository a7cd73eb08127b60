import type { FairQueue, LinkCookies, Logger, PublicNames } from '@skyfolio/kit'
import type { Passwords } from '@skyfolio/kit/passwords'
import type { Pool } from 'pg'
import type { Contests } from './contests/contest.ts'
import type { Invitations } from './contests/invitations.ts'
import type { Results } from './contests/results.ts'
import type { Database } from './database.ts'
import type { Folders } from './folders/folders.ts'
import type { LinkOpenings } from './links/link-openings.ts'
import type { Links } from './links/links.ts'
import type { SharePages } from './sharing/share-pages.ts'
import type { BallotReader } from './voting/ballots.ts'
import type { VoteCaster } from './voting/cast-vote.ts'
import type { VoterFinder } from './voting/find-voter.ts'
import type { FlagUpdater } from './voting/flag-updater.ts'
import type { PublicStandings, StandingsReader } from './voting/standings.ts'
import type { VoterIdentity } from './voting/voter-identity.ts'
import type { VoterList } from './voting/voters.ts'
import type { VotingControl } from './voting/voting-control.ts'

/** What the API of folders needs. */
export interface FoldersDeps {
  logger: Logger
  identityKeys: string[]
  pool: Pool
  database: Database
  folders: Folders
  publicNames: PublicNames
  links: Links
  contests: Contests
  invitations: Invitations
  results: Results
  linkCookies: LinkCookies
  linkOpenings: LinkOpenings
  passwords: Passwords
  sharePages: SharePages
  ballots: BallotReader
  voterIdentity: VoterIdentity
  voterFinder: VoterFinder
  voteCaster: VoteCaster
  votingControl: VotingControl
  standings: StandingsReader
  publicStandings: PublicStandings
  voterList: VoterList
  flagUpdater: FlagUpdater
  /** Publishes a hint to the owner's browsers that the standings, or the ballots in them, changed. */
  rankingsChanged(folderId: number, ownerId: number): void
}

/** The same for routes whose requests read or change all ballots of a folder. */
export interface LimitedDeps extends FoldersDeps {
  ownerLimiter: FairQueue
}
