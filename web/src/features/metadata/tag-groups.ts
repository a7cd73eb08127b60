import type { MetadataPhotoDetails } from '../../api/types.ts'

export type Groups = MetadataPhotoDetails['groups']

/** A group with its matching tags. */
export interface ShownGroup {
  name: string
  tags: [name: string, value: string][]
}

/** File and image groups come first, then those of other programs by name. */
const FIRST_GROUPS = ['File', 'IFD0', 'EXIF', 'GPS']

/** The tags that contain every word of the search in their name, value or group, sorted by name. */
export function searchGroups(groups: Groups, search: string): ShownGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return Object.entries(groups)
    .map(([name, tags]) => ({ name, tags: linesOf(tags).filter((line) => hasAll([name, ...line].join('\n'), words)) }))
    .filter(({ tags }) => tags.length > 0)
    .sort((one, other) => rankOf(one.name) - rankOf(other.name) || one.name.localeCompare(other.name))
}

function rankOf(name: string): number {
  const index = FIRST_GROUPS.indexOf(name)
  return index === -1 ? FIRST_GROUPS.length : index
}

function linesOf(tags: Groups[string]): ShownGroup['tags'] {
  return Object.entries(tags)
    .map(([tag, value]): [string, string] => [tag, String(value)])
    .sort(([one], [other]) => one.localeCompare(other))
}

function hasAll(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return words.every((word) => lower.includes(word))
}

/** The number of tags in the groups. */
export function countTags(groups: readonly ShownGroup[]): number {
  return groups.reduce((count, { tags }) => count + tags.length, 0)
}

/** The metadata of a photo as JSON, for other programs. */
export function metadataJson(photo: MetadataPhotoDetails): string {
  const { originalName, filesize, width, height, latitude, longitude, altitude } = photo
  const { city, county, state, dateTaken, groups } = photo
  const facts = { filesize, width, height, latitude, longitude, altitude, city, county, state, dateTaken }
  return JSON.stringify({ filename: originalName, ...facts, metadata: groups }, null, 2)
}

/** 'DJI_0018-metadata.json' for 'DJI_0018.JPG'. */
export function jsonName(originalName: string): string {
  return `${originalName.replace(/\.[^.]+$/, '') || 'photo'}-metadata.json`
}
