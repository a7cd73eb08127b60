import { toast } from '../../components/ui/toast.tsx'
import { copyText } from '../../lib/clipboard.ts'

/** Copies the address of a link, or the code that embeds it, and says whether that worked. */
export async function copyLink(text: string, what: 'link' | 'code' = 'link'): Promise<void> {
  if (await copyText(text)) toast({ title: what === 'link' ? 'Link copied' : 'Code copied' })
  else toast({ title: 'Failed to copy', description: `Could not copy ${what} to clipboard`, tone: 'danger' })
}
