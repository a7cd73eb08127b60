import { DropdownMenu } from 'radix-ui'
import { cx } from '../../lib/cx.ts'
import { ITEM, ItemText, type MenuItemProps } from './menu.tsx'
import { SwitchPicture } from './switch-picture.tsx'

interface MenuSwitchProps extends Pick<MenuItemProps, 'children' | 'icon' | 'hint'> {
  checked: boolean
  onCheckedChange: (checked: boolean) => void
}

/** An item of a menu for a setting with two states. Not part of menu.tsx, which the voting page loads. */
export function MenuSwitch({ children, icon, hint, checked, onCheckedChange }: MenuSwitchProps) {
  return (
    <DropdownMenu.CheckboxItem
      checked={checked}
      onCheckedChange={onCheckedChange}
      className={cx(ITEM, 'cursor-pointer text-text')}
    >
      {icon}
      <ItemText hint={hint}>{children}</ItemText>
      <SwitchPicture checked={checked} />
    </DropdownMenu.CheckboxItem>
  )
}
