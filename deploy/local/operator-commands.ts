/** One process that runs with the environment of a component, or just in this checkout. */
export interface CommandStep {
  component?: string
  file: string
  args?: string[]
}

export interface OperatorCommand {
  description: string
  /** One after the other; the arguments go to the last. */
  steps: CommandStep[]
}

/** The commands for operators: `npm run ops -- <name>`, and `npm run admin`. */
export function operatorCommands(): Record<string, OperatorCommand> {
  return {
    admin: {
      description: 'rights, access and quota of a user; also `npm run admin`',
      steps: [{ component: 'auth', file: 'services/auth/src/commands/admin.ts' }],
    },
    deadletters: {
      description: 'lists the events that no consumer could handle, retries or discards them',
      // It needs only NATS and lists the dead letters of all consumers. Retrying one publishes, so it runs where events are published.
      steps: [{ component: 'auth', file: 'services/kit/src/events/dead-letters-command.ts' }],
    },
    deletions: {
      description: 'a step of a restore: deletes again who was deleted after the backup (`replay`)',
      // It reads the object store, as the worker does.
      steps: [{ component: 'auth-worker', file: 'services/auth/src/commands/replay-deletions.ts' }],
    },
    images: {
      description: 'builds the container images with Docker (`--tag dev`)',
      steps: [{ file: 'deploy/images/build.ts' }],
    },
    'media:reconcile': {
      description: 'compares object store and database now, and removes what belongs to nothing (`--dry-run`)',
      steps: [{ component: 'media-worker', file: 'services/media/src/commands/reconcile.ts' }],
    },
    'media:reprocess': {
      description:
        'processes all photos again, whenever no upload waits, after a release that reads more of a file (`--after <id>`)',
      steps: [{ component: 'media-worker', file: 'services/media/src/commands/reprocess.ts' }],
    },
    recount: {
      description: "counts the ballots of a folder's vote again, from the file that its owner downloads (`<file>`)",
      steps: [{ file: 'services/folders/src/commands/recount.ts' }],
    },
    ...rebuildProjection('auth', 'usage'),
    ...rebuildProjection('folders', 'photos'),
    ...rebuildProjection('print-orders', 'photos'),
  }
}

/** Fills the projection of media's photos, or of their usage, in a service again. */
function rebuildProjection(component: string, what: string): Record<string, OperatorCommand> {
  const file = `services/${component}/src/commands/rebuild.ts`
  return {
    [`${component}:rebuild-projection`]: {
      description: `fills the projection of ${what} in ${component} again, from media`,
      steps: [
        { component, file, args: ['begin'] },
        { component: 'media', file: 'services/media/src/commands/republish.ts' },
        { component, file, args: ['end'] },
      ],
    },
  }
}

interface Listed {
  description: string
  /** What the machine must have besides npm's packages. */
  needs?: string
}

/** One line a command. */
export function listCommands(commands: Record<string, Listed>): string {
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  return Object.entries(commands)
    .map(
      ([name, { description, needs }]) => `  ${name.padEnd(width)}  ${description}${needs ? ` (needs ${needs})` : ''}`,
    )
    .join('\n')
}
