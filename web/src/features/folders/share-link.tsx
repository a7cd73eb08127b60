import { Copy, ExternalLink, Share2 } from 'lucide-react'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { copyText } from '../../lib/clipboard.ts'

interface ShareLinkProps {
  label: string
  /** What visitors can do with it. */
  hint: string
  /** The folder's name, for the system's share dialog. */
  name: string
  link: string
  /** The link that users need most often. */
  main?: boolean
}

/** A link with buttons to open, share and copy it. */
export function ShareLink({ label, hint, name, link, main }: ShareLinkProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <div className="flex items-center gap-1 max-sm:flex-wrap">
          <Input
            {...control}
            readOnly
            value={link}
            onFocus={(event) => event.target.select()}
            className="min-w-0 max-sm:mb-1 sm:flex-1"
          />
          <IconLink label={`Open the ${label.toLowerCase()}`} href={link} />
          {'share' in navigator && (
            <IconButton
              label={`Share the ${label.toLowerCase()}`}
              icon={<Share2 />}
              onClick={() => share(name, link)}
            />
          )}
          <Button
            variant={main ? 'primary' : 'secondary'}
            data-autofocus={main || undefined}
            aria-label={`Copy link: ${label.toLowerCase()}`}
            className="ml-1 max-sm:flex-1"
            onClick={() => copy(link)}
          >
            <Copy aria-hidden /> Copy link
          </Button>
        </div>
      )}
    </Field>
  )
}

function IconLink({ label, href }: { label: string; href: string }) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      aria-label={label}
      title={label}
      className="inline-grid size-11 place-items-center rounded-md text-muted transition hover:bg-sunken hover:text-text sm:size-9"
    >
      <ExternalLink aria-hidden className="size-[18px]" />
    </a>
  )
}

async function copy(link: string): Promise<void> {
  if (await copyText(link)) toast({ title: 'Link copied' })
  else toast({ title: 'Failed to copy', description: 'Could not copy link to clipboard', tone: 'danger' })
}

async function share(title: string, url: string): Promise<void> {
  try {
    await navigator.share({ title, url })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return // The user closed the share dialog.
    await copy(url)
  }
}
