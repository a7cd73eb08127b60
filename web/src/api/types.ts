/** A place in a ranking. */
export type Rank = 'first' | 'second' | 'third'

/** The one error model of all services. */
export interface ErrorBody {
  code: string
  message: string
  issues?: string[]
  fields?: Record<string, string>
}

export interface User {
  id: number
  username: string
  email: string | null
  firstName: string | null
  lastName: string | null
  isAdmin: boolean
  createdAt: string
  publicByDefault: boolean
  emailNotifications: boolean
}

export interface AppConfig {
  limits: { filesPerUpload: number; fileBytes: number; minWidth: number; minHeight: number; maxPixels: number }
  formats: string[]
}

/** What everybody who may see a photo sees. */
export interface PublicPhoto {
  id: number
  folderId: number | null
  title: string
  description: string | null
  filename: string
  filesize: number
  isPublic: boolean
  latitude: string | null
  longitude: string | null
  altitude: number | null
  city: string | null
  county: string | null
  state: string | null
  dateTaken: string | null
  createdAt: string
  status: 'processing' | 'ready' | 'failed'
  statusMessage: string | null
  url: string
  thumbnailUrl: string | null
  previewUrl: string | null
  thumbhash: string | null
  width: number | null
  height: number | null
}

export interface Photo extends PublicPhoto {
  userId: number
  originalName: string
  metadata: Record<string, unknown> | null
}

export interface Folder {
  id: number
  userId: number
  name: string
  description: string | null
  isPublic: boolean
  shareCode: string
  createdAt: string
  updatedAt: string
  photoCount: number
  covers: string[]
  votingOpen: boolean
}

export interface Share {
  folder: { id: number; name: string; description: string | null; votingOpen: boolean }
  photos: PublicPhoto[]
  voteCounts: Record<string, Rank>
}

/** A voter's three places: photo ids, 0 where empty. */
export type Places = Record<Rank, number>

export interface Tally {
  photoId: number
  first: number
  second: number
  third: number
  points: number
  voters: number
}

export interface Rankings {
  rankings: Record<string, Rank>
  tallies: Tally[]
  voting: 'open' | 'closed'
}
