import { DropdownMenu } from 'radix-ui'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { cx } from '../../lib/cx.ts'

interface OpenedMenuProps {
  trigger: ReactNode
  children: ReactNode
  /** Opened by a key: the first item has the focus. */
  byKey: boolean
}

/** A menu that is open at first. */
export function OpenedMenu({ trigger, children, byKey }: OpenedMenuProps) {
  const isFocused = useRef(!byKey)
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
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
            <FirstFocus isDone={isFocused} />
            {children}
          </DropdownMenu.Content>
        </section>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

/** Radix focuses the first item itself, but not that of a menu that was not there when the key was pressed. */
function FirstFocus({ isDone }: { isDone: RefObject<boolean> }) {
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    const items = place.current?.parentElement?.querySelectorAll<HTMLElement>('[role^=menuitem]:not([data-disabled])')
    items?.[0]?.focus({ preventScroll: true })
  }, [isDone])
  return <span ref={place} hidden />
}

const ITEM =
  'flex min-h-11 items-center gap-2.5 rounded-sm px-2.5 py-1.5 outline-none select-none data-[disabled]:cursor-default data-[disabled]:opacity-50 data-[highlighted]:bg-sunken sm:min-h-9 [&>svg]:size-4 [&>svg]:shrink-0'

interface ItemProps {
  children: ReactNode
  onSelect?: () => void
  /** Renders the item as a link that downloads a file under this name. */
  download?: { href: string; name: string }
  icon?: ReactNode
  /** A second line in a quieter style. */
  hint?: ReactNode
  disabled?: boolean
  danger?: boolean
  /** Behind the text. */
  mark?: ReactNode
}

export function Item({ children, onSelect, download, icon, hint, disabled, danger, mark }: ItemProps) {
  const content = (
    <>
      {icon}
      <ItemText hint={hint}>{children}</ItemText>
      {mark}
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

interface SwitchItemProps extends Pick<ItemProps, 'children' | 'icon' | 'hint' | 'mark'> {
  checked: boolean
  onCheckedChange: (checked: boolean) => void
}

export function SwitchItem({ children, icon, hint, mark, checked, onCheckedChange }: SwitchItemProps) {
  return (
    <DropdownMenu.CheckboxItem
      checked={checked}
      onCheckedChange={onCheckedChange}
      className={cx(ITEM, 'cursor-pointer text-text')}
    >
      {icon}
      <ItemText hint={hint}>{children}</ItemText>
      {mark}
    </DropdownMenu.CheckboxItem>
  )
}

function ItemText({ children, hint }: Pick<ItemProps, 'children' | 'hint'>) {
  return (
    <span className="min-w-0 flex-1">
      <span>{children}</span>
      {hint && <span className="block text-sm text-pretty text-muted">{hint}</span>}
    </span>
  )
}

export function Label({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="px-2.5 py-1.5 text-sm text-muted">{children}</DropdownMenu.Label>
}

export function Separator() {
  return <DropdownMenu.Separator className="my-1.5 h-px bg-line" />
}
