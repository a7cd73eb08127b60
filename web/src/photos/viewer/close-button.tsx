import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { IconButton } from '../../components/ui/button.tsx'

interface CloseButtonProps {
  variant?: 'overlay'
  className: string
}

/** Closes a photo's dialog. It is on top of the picture, or beside it where the details are. */
export function CloseButton(props: CloseButtonProps) {
  return (
    <Dialog.Close asChild>
      <IconButton label="Close" icon={<X />} {...props} />
    </Dialog.Close>
  )
}
