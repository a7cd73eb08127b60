/** The relevant part of an entry of package-lock.json (lockfileVersion 3). */
export interface LockedPackage {
  name?: string
  version?: string
  /** A workspace is a link in node_modules to its folder, which `resolved` names. */
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
  /** By path: `node_modules/a`, `node_modules/a/node_modules/b`, `services/auth`. */
  packages: Record<string, LockedPackage>
}

/**
 * The part of a lockfile that one workspace needs in production: it, the workspaces that it depends on, and their packages at
 * their present paths and versions. `npm ci --omit=dev -w` is no substitute: it also installs what other workspaces need.
 * @throws Error when the lockfile lacks a package
 */
export function productionLock(lock: Lock, workspace: string): Lock {
  const paths = new Set<string>()
  addDependencies(lock, workspace, paths)
  const packages = Object.fromEntries(
    [...paths].sort().map((path) => [path, withoutDev(lock.packages[path] as LockedPackage)]),
  )
  const workspaces = workspacesOf({ ...lock, packages })
  return { ...lock, packages: { '': { name: lock.name, version: lock.version, ...{ workspaces } }, ...packages } }
}

/** The paths of the workspaces in a lockfile. */
export function workspacesOf(lock: Lock): string[] {
  return Object.keys(lock.packages).filter((path) => path && !path.includes('node_modules/'))
}

function addDependencies(lock: Lock, path: string, paths: Set<string>): void {
  if (paths.has(path)) return
  const entry = lock.packages[path]
  if (!entry) throw new Error(`package-lock.json has no ${path}`)
  paths.add(path)
  if (entry.link) addDependencies(lock, entry.resolved ?? '', paths)
  else if (!path.includes('node_modules/')) paths.add(`node_modules/${entry.name}`)
  for (const { name, optional } of dependenciesOf(entry)) {
    const found = resolvePackage(lock, name, path)
    if (found) addDependencies(lock, found, paths)
    else if (!optional) throw new Error(`package-lock.json has no ${name}, which ${path} depends on`)
  }
}

function dependenciesOf(entry: LockedPackage): { name: string; optional: boolean }[] {
  const names = (group?: Record<string, unknown>) => Object.keys(group ?? {})
  const peers = names(entry.peerDependencies).filter((name) => !entry.peerDependenciesMeta?.[name]?.optional)
  return [
    ...[...names(entry.dependencies), ...peers].map((name) => ({ name, optional: false })),
    ...names(entry.optionalDependencies).map((name) => ({ name, optional: true })),
  ]
}

/** The path at which Node finds a package that is imported from `from`: in the nearest node_modules upwards. */
function resolvePackage(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const path = `${folder}${folder && '/'}node_modules/${name}`
    if (lock.packages[path]) return path
    if (!folder) return undefined
  }
}

function withoutDev({ devDependencies: _, ...entry }: LockedPackage): LockedPackage {
  return entry
}
