/** A process that has an image of its own: what it is installed from, and the file that starts it. */
export interface Component {
  /** Path of the workspace. */
  workspace: string
  /** Path of the file. */
  main: string
  /** What it needs from other workspaces, as patterns of paths. */
  also?: string[]
}

/** Those that differ from a service with one process. */
const special: Record<string, Component> = {
  gateway: { workspace: 'gateway', main: 'gateway/src/main.ts' },
  'media-worker': { workspace: 'services/media', main: 'services/media/src/worker.ts' },
  migrations: {
    workspace: 'deploy/migrations',
    main: 'deploy/migrations/migrate.ts',
    also: ['services/*/prisma/migrations', 'deploy/smoke'],
  },
}

/** The component of that name: the name of its target in the Dockerfile, of its image and of its container. */
export function componentOf(name: string): Component {
  return special[name] ?? { workspace: `services/${name}`, main: `services/${name}/src/main.ts` }
}
