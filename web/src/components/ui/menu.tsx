import { Check } from 'lucide-react'
import { Slot } from 'radix-ui'
import { type ComponentProps, type KeyboardEvent, type ReactNode, useState } from 'react'
import { UNREACHABLE } from '../../lib/http.ts'
import { lazyModule } from '../lazy.tsx'
import type { Item, SwitchItem } from './opened-menu.tsx'
import { toast } from './toast.tsx'

const code = lazyModule(() => import('./overlays.ts'))

/** Loads the code of menus before the first one is opened. */
export function loadMenus(): void {
  code.load().catch(() => {})
}

interface MenuProps {
  /** The button that opens the menu; it must take a ref and props (a Button, for example). */
  trigger: ReactNode
  children: ReactNode
}

/**
 * A dropdown menu; its children are MenuItems, MenuSwitches, MenuLabels and MenuSeparators. It is only its button until it is
 * opened for the first time: a list has hundreds of menus, and their code is not needed for a first screen.
 */
export function Menu({ trigger, children }: MenuProps) {
  const [openedBy, setOpenedBy] = useState<'pointer' | 'key' | null>(null)
  const loaded = openedBy && code.loaded()
  if (loaded) {
    return (
      <loaded.OpenedMenu trigger={trigger} byKey={openedBy === 'key'}>
        {children}
      </loaded.OpenedMenu>
    )
  }

  function open(by: 'pointer' | 'key'): void {
    code.load().then(
      () => setOpenedBy(by),
      () => toast({ title: 'The menu could not be opened', description: UNREACHABLE, tone: 'danger' }),
    )
  }

  function openByKey(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    open('key')
  }

  return (
    <Slot.Root
      aria-haspopup="menu"
      aria-expanded={false}
      // The keys Enter and Space are clicks without a count.
      onClick={({ detail }) => open(detail === 0 ? 'key' : 'pointer')}
      onKeyDown={openByKey}
      onPointerEnter={loadMenus}
      onFocus={loadMenus}
    >
      {trigger}
    </Slot.Root>
  )
}

interface MenuItemProps extends Omit<ComponentProps<typeof Item>, 'mark'> {
  /** Marks the current choice. */
  checked?: boolean
}

// Items are rendered only in an open menu, whose code is loaded.
export function MenuItem({ checked, ...props }: MenuItemProps) {
  const loaded = code.loaded()
  return loaded && <loaded.Item {...props} mark={checked && <Check aria-label="Chosen" className="text-accent" />} />
}

/** An item for a setting with two states. */
export function MenuSwitch(props: Omit<ComponentProps<typeof SwitchItem>, 'mark'>) {
  const loaded = code.loaded()
  return loaded && <loaded.SwitchItem {...props} mark={<SwitchPicture checked={props.checked} />} />
}

export const SWITCH_TRACK =
  'relative h-7 w-12 shrink-0 rounded-full bg-muted p-0.5 transition data-[state=checked]:bg-accent'
export const SWITCH_THUMB =
  'block size-6 rounded-full bg-surface shadow-low transition data-[state=checked]:translate-x-5'

/** The picture of a switch, for a control that is one itself. */
export function SwitchPicture({ checked }: { checked: boolean }) {
  const state = checked ? 'checked' : 'unchecked'
  return (
    <span aria-hidden data-state={state} className={SWITCH_TRACK}>
      <span data-state={state} className={SWITCH_THUMB} />
    </span>
  )
}

export function MenuLabel(props: { children: ReactNode }) {
  const loaded = code.loaded()
  return loaded && <loaded.Label {...props} />
}

export function MenuSeparator() {
  const loaded = code.loaded()
  return loaded && <loaded.Separator />
}
