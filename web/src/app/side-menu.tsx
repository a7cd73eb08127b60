import { MenuIcon } from 'lucide-react'
import { useState } from 'react'
import type { User } from '../api/types.ts'
import { lazyModule } from '../components/lazy.tsx'
import { IconButton } from '../components/ui/button.tsx'
import { toast } from '../components/ui/toast.tsx'
import { UNREACHABLE } from '../lib/http.ts'

// Few visitors open it: its code is loaded by the first click.
const panel = lazyModule(() => import('./side-panel.tsx'))

/** The navigation menu under 640 px. */
export function SideMenu({ user }: { user: User | null }) {
  const [open, setOpen] = useState(false)
  const loaded = open && panel.loaded()
  const show = () =>
    panel.load().then(
      () => setOpen(true),
      () => toast({ title: 'The menu could not be loaded', description: UNREACHABLE, tone: 'danger' }),
    )
  return (
    <>
      <IconButton
        label="Menu"
        icon={<MenuIcon />}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={show}
        className="-mr-2 sm:hidden"
      />
      {loaded && <loaded.SidePanel user={user} onClose={() => setOpen(false)} />}
    </>
  )
}
