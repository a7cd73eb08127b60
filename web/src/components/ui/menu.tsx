import { Check } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { cx } from '../../lib/cx.ts'

interface MenuProps {
  /** The button that opens the menu; it must take a ref and props (a Button, for example). */
  trigger: ReactNode
  children: ReactNode
  startsOpen?: boolean
}

/** A dropdown menu; its children are MenuItems, MenuSwitches, MenuLabels and MenuSeparators. */
export function Menu({ trigger, children, startsOpen }: MenuProps) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen={startsOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        {/* At the end of the document it is outside every landmark of the page. */}
        <section aria-label="Menu">
          <DropdownMenu.Content
            align="end"
            sideOffset={6}
            collisionPadding={12}
            className="z-70 max-h-(--radix-dropdown-menu-content-available-height) max-w-72 min-w-52 overflow-y-auto rounded-md bg-surface p-1.5 shadow-high ring ring-line animate-pop"
          >
            {children}
          </DropdownMenu.Content>
        </section>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

export interface MenuItemProps {
  children: ReactNode
  onSelect?: () => void
  /** Renders the item as a link that downloads a file under this name. */
  download?: { href: string; name: string }
  icon?: ReactNode
  /** A second line in a quieter style. */
  hint?: ReactNode
  disabled?: boolean
  danger?: boolean
  /** Marks the current choice. */
  checked?: boolean
}

/** The style of an item. */
export const ITEM =
  'flex min-h-11 items-center gap-2.5 rounded-sm px-2.5 py-1.5 outline-none select-none data-[disabled]:cursor-default data-[disabled]:opacity-50 data-[highlighted]:bg-sunken sm:min-h-9 [&>svg]:size-4 [&>svg]:shrink-0'

export function MenuItem({ children, onSelect, download, icon, hint, disabled, danger, checked }: MenuItemProps) {
  const content = (
    <>
      {icon}
      <ItemText hint={hint}>{children}</ItemText>
      {checked && <Check aria-label="Chosen" className="text-accent" />}
    </>
  )
  return (
    <DropdownMenu.Item
      asChild={download !== undefined}
      onSelect={onSelect}
      disabled={disabled}
      className={cx(ITEM, danger ? 'text-danger' : 'text-text')}
    >
      {download ? (
        <a href={download.href} download={download.name}>
          {content}
        </a>
      ) : (
        content
      )}
    </DropdownMenu.Item>
  )
}

/** The text of an item. */
export function ItemText({ children, hint }: Pick<MenuItemProps, 'children' | 'hint'>) {
  return (
    <span className="min-w-0 flex-1">
      {children}
      {hint && <span className="block text-sm text-pretty text-muted">{hint}</span>}
    </span>
  )
}

export function MenuLabel({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2.5 py-1.5 text-sm text-muted">{children}</DropdownMenu.Label>
}

export function MenuSeparator() {
  return <DropdownMenu.Separator className="my-1.5 h-px bg-line" />
}
