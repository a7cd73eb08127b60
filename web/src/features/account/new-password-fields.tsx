import type { ComponentProps } from 'react'
import { TextField } from '../../components/ui/text-field.tsx'

type FieldProps = Omit<ComponentProps<typeof TextField>, 'label'>

export function NewPasswordFields({ password, confirmation }: Record<'password' | 'confirmation', FieldProps>) {
  const attributes = { type: 'password', autoComplete: 'new-password' }
  return (
    <>
      <TextField label="New password" hint="At least 6 characters" {...attributes} {...password} />
      <TextField label="Confirm new password" {...attributes} {...confirmation} />
    </>
  )
}
