import { COMPONENTS, type ComponentList } from '../components.ts'

/** One process that runs with the environment of a component. */
export interface CommandStep {
  component: string
  file: string
  args?: string[]
}

/** The commands for operators, by the name of their script in package.json. The arguments go to the last step. */
export function operatorCommands(list: ComponentList = COMPONENTS): Record<string, CommandStep[]> {
  return {
    admin: [{ component: 'auth', file: 'services/auth/src/commands/admin.ts' }],
    // It needs only NATS and lists the dead letters of all consumers. Retrying one publishes, so it runs where events are published.
    deadletters: [{ component: firstWithOutbox(list), file: 'services/kit/src/events/dead-letters-command.ts' }],
    // It reads the object store, as the worker does.
    deletions: [{ component: 'auth-worker', file: 'services/auth/src/commands/replay-deletions.ts' }],
    'media:panoramas': [{ component: 'media-worker', file: 'services/media/src/commands/panoramas.ts' }],
    'media:reconcile': [{ component: 'media-worker', file: 'services/media/src/commands/reconcile.ts' }],
    'media:flights': [{ component: 'media-worker', file: 'services/media/src/commands/flights.ts' }],
    'media:renditions': [{ component: 'media-worker', file: 'services/media/src/commands/renditions.ts' }],
    'auth:rebuild-projection': rebuildProjection('auth'),
    'folders:rebuild-projection': rebuildProjection('folders'),
    'print-orders:rebuild-projection': rebuildProjection('print-orders'),
  }
}

/** Fills the projection of media's photos, or of their usage, in a service again. */
function rebuildProjection(component: string): CommandStep[] {
  const file = `services/${component}/src/commands/rebuild.ts`
  return [
    { component, file, args: ['begin'] },
    { component: 'media', file: 'services/media/src/commands/republish.ts' },
    { component, file, args: ['end'] },
  ]
}

function firstWithOutbox(list: ComponentList): string {
  return list.find(({ hasOutbox }) => hasOutbox)?.name ?? ''
}
