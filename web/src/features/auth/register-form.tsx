import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { configQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, Field, Input, PageLink } from '../../components/ui/field.tsx'
import { showServerFields } from '../../lib/forms.ts'
import { FormProblem } from './form-problem.tsx'
import { PasswordInput } from './password-input.tsx'
import { type RegisterInput, type RegisterValues, registerSchema } from './schemas.ts'
import { useRegister } from './use-sign-in.ts'

const SERVER_FIELDS = ['username', 'firstName', 'lastName', 'email', 'password', 'confirmPassword'] as const

export function RegisterForm() {
  const registration = useRegister()
  const { register, handleSubmit, setError, formState } = useForm<RegisterInput, unknown, RegisterValues>({
    resolver: zodResolver(registerSchema),
    defaultValues: {
      username: '',
      firstName: '',
      lastName: '',
      email: '',
      password: '',
      confirmPassword: '',
      terms: false,
    },
  })
  const { data: config } = useQuery(configQuery)
  const mailHint = config?.mail.available ? 'Needed to set a new password if you forget yours.' : undefined
  const { errors } = formState
  const [shown, setShown] = useState(false)
  const submit = handleSubmit((values) => {
    setShown(false) // Browsers save the values of text fields.
    registration.mutate(values, { onError: (error) => showServerFields(error, SERVER_FIELDS, setError) })
  }, registration.reset)
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <Field label="Username" error={errors.username?.message}>
        {(control) => <Input {...control} autoComplete="username" autoCapitalize="none" {...register('username')} />}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="First name" optional error={errors.firstName?.message}>
          {(control) => <Input {...control} autoComplete="given-name" {...register('firstName')} />}
        </Field>
        <Field label="Last name" optional error={errors.lastName?.message}>
          {(control) => <Input {...control} autoComplete="family-name" {...register('lastName')} />}
        </Field>
      </div>
      <Field label="Email" optional hint={mailHint} error={errors.email?.message}>
        {(control) => <Input {...control} type="email" autoComplete="email" {...register('email')} />}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Password" error={errors.password?.message}>
          {(control) => (
            <PasswordInput
              {...control}
              autoComplete="new-password"
              shown={shown}
              onShown={setShown}
              {...register('password')}
            />
          )}
        </Field>
        <Field label="Confirm password" error={errors.confirmPassword?.message}>
          {(control) => (
            <Input
              {...control}
              type={shown ? 'text' : 'password'}
              autoComplete="new-password"
              {...register('confirmPassword')}
            />
          )}
        </Field>
      </div>
      <Checkbox
        label={
          <>
            I agree to the <PageLink to="/terms">terms and conditions</PageLink>
          </>
        }
        error={errors.terms?.message}
        {...register('terms')}
      />
      <FormProblem error={registration.error} fields={Object.keys(errors).length} />
      <Button type="submit" variant="primary" busy={registration.isPending}>
        Register
      </Button>
    </form>
  )
}
