import type { ComponentProps } from 'react'
import type { FieldErrors, FieldPath, FieldValues, RegisterOptions, UseFormReturn } from 'react-hook-form'
import { Field, Input } from './field.tsx'

type TextFieldProps = Omit<ComponentProps<typeof Field>, 'children'> & ComponentProps<'input'>

/** A line of text with its label, hint and error; the other attributes are those of the input. */
export function TextField({ label, hint, error, optional, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} optional={optional}>
      {(control) => <Input {...control} {...input} />}
    </Field>
  )
}

/** A function that connects the fields of a form by their names: with their values, and with what is wrong with them. */
export function fieldsOf<Values extends FieldValues, Output>(
  form: Pick<UseFormReturn<Values, unknown, Output>, 'register' | 'formState'>,
) {
  return <Name extends FieldPath<Values>>(name: Name, rules?: RegisterOptions<Values, Name>) => ({
    ...form.register(name, rules),
    error: (form.formState.errors as FieldErrors)[name]?.message as string | undefined,
  })
}
