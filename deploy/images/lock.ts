/** An entry of package-lock.json (lockfileVersion 3), as far as it matters here. */
export interface LockedPackage {
  name?: string
  version?: string
  /** A workspace stands in node_modules as a link to its folder, which `resolved` names. */
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export interface Lock {
  name: string
  version: string
  lockfileVersion: number
  requires?: boolean
  /** By their place: `node_modules/a`, `node_modules/a/node_modules/b`, `services/auth`. */
  packages: Record<string, LockedPackage>
}

/**
 * The part of a lockfile that one workspace needs in production: it, the workspaces that it depends on, and their packages in
 * the places and versions that they have now. `npm ci --omit=dev -w` cannot do it: it also installs what others need.
 * @throws Error when the lockfile lacks a package
 */
export function productionLock(lock: Lock, workspace: string): Lock {
  const places = new Set<string>()
  addNeeded(lock, workspace, places)
  const packages = Object.fromEntries(
    [...places].sort().map((place) => [place, withoutDev(lock.packages[place] as LockedPackage)]),
  )
  const workspaces = workspacesOf({ ...lock, packages })
  return { ...lock, packages: { '': { name: lock.name, version: lock.version, ...{ workspaces } }, ...packages } }
}

/** The paths of the workspaces in a lockfile. */
export function workspacesOf(lock: Lock): string[] {
  return Object.keys(lock.packages).filter((place) => place && !place.includes('node_modules/'))
}

function addNeeded(lock: Lock, place: string, places: Set<string>): void {
  if (places.has(place)) return
  const entry = lock.packages[place]
  if (!entry) throw new Error(`package-lock.json has no ${place}`)
  places.add(place)
  if (entry.link) addNeeded(lock, entry.resolved ?? '', places)
  else if (!place.includes('node_modules/')) places.add(`node_modules/${entry.name}`)
  for (const { name, optional } of neededBy(entry)) {
    const found = placeOf(lock, name, place)
    if (found) addNeeded(lock, found, places)
    else if (!optional) throw new Error(`package-lock.json has no ${name}, which ${place} depends on`)
  }
}

function neededBy(entry: LockedPackage): { name: string; optional: boolean }[] {
  const names = (group?: Record<string, unknown>) => Object.keys(group ?? {})
  const peers = names(entry.peerDependencies).filter((name) => !entry.peerDependenciesMeta?.[name]?.optional)
  return [
    ...[...names(entry.dependencies), ...peers].map((name) => ({ name, optional: false })),
    ...names(entry.optionalDependencies).map((name) => ({ name, optional: true })),
  ]
}

/** Where Node finds a package that is imported from a place: in the nearest node_modules upwards. */
function placeOf(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const place = `${folder}${folder && '/'}node_modules/${name}`
    if (lock.packages[place]) return place
    if (!folder) return undefined
  }
}

function withoutDev({ devDependencies: _, ...entry }: LockedPackage): LockedPackage {
  return entry
}
