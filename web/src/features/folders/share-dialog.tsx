import { Copy, ExternalLink } from 'lucide-react'
import type { Folder } from '../../api/types.ts'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Input } from '../../components/ui/field.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { copyText } from '../../lib/clipboard.ts'

interface ShareDialogProps {
  folder: Folder
  open: boolean
  onOpenChange: (open: boolean) => void
}

/** The links of a public folder. */
export function ShareDialog({ folder, open, onOpenChange }: ShareDialogProps) {
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title="Share folder"
      description="Anyone who has the link can see the photos and rank them, without an account."
    >
      <VotingLink folder={folder} />
    </Dialog>
  )
}

function VotingLink({ folder }: { folder: Folder }) {
  const link = `${location.origin}/share/${folder.shareCode}`

  async function copy(): Promise<void> {
    if (!folder.isPublic) {
      toast({
        title: 'Folder is private',
        description: 'Make the folder public first to share it.',
        tone: 'danger',
      })
    } else if (await copyText(link)) {
      toast({ title: 'Link copied' })
    } else {
      toast({ title: 'Failed to copy', description: 'Could not copy link to clipboard', tone: 'danger' })
    }
  }

  return (
    <div className="grid gap-4 pb-2">
      <Field label="Voting link">
        {(control) => <Input {...control} readOnly value={link} onFocus={(event) => event.target.select()} />}
      </Field>
      <div className="flex gap-2 max-sm:*:flex-1 sm:justify-end">
        <Button asChild>
          <a href={link} target="_blank" rel="noreferrer">
            <ExternalLink aria-hidden /> Open
          </a>
        </Button>
        <Button variant="primary" data-autofocus onClick={copy}>
          <Copy aria-hidden /> Copy link
        </Button>
      </div>
    </div>
  )
}
