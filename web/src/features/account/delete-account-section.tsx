import { useQuery } from '@tanstack/react-query'
import { Download, Images, type LucideIcon, Printer, RotateCcw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { configQuery } from '../../api/queries.ts'
import type { User } from '../../api/types.ts'
import { lazyComponent } from '../../components/lazy.tsx'
import { Button } from '../../components/ui/button.tsx'
import { finalitySentence } from './deletion-texts.ts'
import { EXPORT_ANCHOR } from './export-section.tsx'
import { Section } from './section.tsx'

const DeleteAccountDialog = lazyComponent(
  () => import('./delete-account-dialog.tsx').then((code) => code.DeleteAccountDialog),
  { afterFirstScreen: true },
)

/** How to leave: what is deleted, when it is final, and the dialog that requests it. */
export function DeleteAccountSection({ user }: { user: User }) {
  const [open, setOpen] = useState(false)
  const { data: config } = useQuery(configQuery)
  return (
    <Section title="Delete account" description="Deletes your account and everything in it." danger>
      <ul className="grid gap-3">
        <Point Icon={Images} title="What is deleted">
          All photos with their originals, folders and their links, rankings and the votes they received, print orders,
          your profile and settings. You are signed out everywhere, and your public folders disappear at once.
        </Point>
        <Point Icon={RotateCcw} title="When it is final">
          {config && finalitySentence(config.accounts.deletionDays)}
        </Point>
        <Point Icon={Printer} title="Print orders">
          An order that the store has is not cancelled: pick it up and pay there as usual. Its images are kept until the
          store has fetched them.
        </Point>
        <Point Icon={Download} title="Keep a copy">
          <a href={`#${EXPORT_ANCHOR}`} className="font-medium text-accent underline">
            Export your data
          </a>{' '}
          first: once the deletion is final, there is no copy to get back.
        </Point>
      </ul>
      <Button className="text-danger! sm:justify-self-end" disabled={!config} onClick={() => setOpen(true)}>
        Delete account…
      </Button>
      {config && (
        <DeleteAccountDialog
          open={open}
          onOpenChange={setOpen}
          user={user}
          deletionDays={config.accounts.deletionDays}
        />
      )}
    </Section>
  )
}

function Point({ Icon, title, children }: { Icon: LucideIcon; title: string; children: ReactNode }) {
  return (
    <li className="flex gap-3">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
      <div className="min-w-0">
        <h3 className="font-semibold">{title}</h3>
        <p className="text-pretty text-muted">{children}</p>
      </div>
    </li>
  )
}
