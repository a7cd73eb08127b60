import { COMPONENTS } from '../components.ts'

/** What an image is built from. */
export interface ImageSource {
  /** Path of the workspace whose packages it has. */
  workspace: string
  /** Path of the file that starts it. */
  entryPoint: string
  /** What it has of other workspaces, as patterns of paths. */
  extraFiles?: string[]
}

/** Images of what is no component: a process that ends, and stand-ins for the print partner and a mail server. */
const OTHERS: Record<string, ImageSource> = {
  migrations: {
    workspace: 'deploy/migrations',
    entryPoint: 'deploy/migrations/migrate.ts',
    extraFiles: ['services/*/prisma/migrations', 'deploy/smoke'],
  },
  'partner-sandbox': {
    workspace: 'deploy/partner-sandbox',
    entryPoint: 'deploy/partner-sandbox/src/main.ts',
    extraFiles: ['deploy/mailbox/src/access.ts'],
  },
  mailbox: {
    workspace: 'deploy/mailbox',
    entryPoint: 'deploy/mailbox/src/main.ts',
  },
}

/** The images by name: the name of the Dockerfile's target and of the container. */
export function imageSources(): Record<string, ImageSource> {
  return { ...Object.fromEntries(COMPONENTS.map((component) => [component.name, component])), ...OTHERS }
}

/** @throws Error when there is no such image */
export function imageSource(name: string): ImageSource {
  const source = imageSources()[name]
  if (!source) throw new Error(`There is no image ${name}; there are ${Object.keys(imageSources()).join(', ')}.`)
  return source
}

/** The URL of a repository without the name, password or token before its host. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/]*@/i, '$1')
}

// The scripts of deploy/releases read the names, one per line.
if (import.meta.main) console.log(Object.keys(imageSources()).join('\n'))
