import { zodResolver } from '@hookform/resolvers/zod'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { api } from '../../api/client.ts'
import { configQuery } from '../../api/queries.ts'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, PageLink } from '../../components/ui/field.tsx'
import { PasswordField } from '../../components/ui/password-field.tsx'
import { fieldsOf, TextField } from '../../components/ui/text-field.tsx'
import { toast, toastFailure } from '../../components/ui/toast.tsx'
import { newPassword, PASSWORDS_MATCH, passwordConfirmation, showServerFields, z } from '../../lib/forms.ts'
import { FormProblem } from './form-parts.tsx'
import { useStartSession } from './login-form.tsx'

/** Text that may be empty; an empty text is not sent. */
const optionalText = z.pipe(
  z.string().check(z.trim()),
  z.transform((text) => text || undefined),
)

export const registerSchema = z
  .object({
    username: z
      .string()
      .check(
        z.trim(),
        z.minLength(3, 'Username must be at least 3 characters'),
        z.maxLength(64, 'Username must be at most 64 characters'),
      ),
    firstName: optionalText,
    lastName: optionalText,
    email: z.pipe(optionalText, z.optional(z.email('Invalid email address'))),
    password: newPassword,
    confirmPassword: passwordConfirmation,
    terms: z.boolean().check(z.refine((agreed) => agreed, 'You must agree to the terms and conditions')),
  })
  .check(z.refine(({ password, confirmPassword }) => password === confirmPassword, PASSWORDS_MATCH))

const SERVER_FIELDS = ['username', 'firstName', 'lastName', 'email', 'password', 'confirmPassword'] as const
const EMPTY = { username: '', firstName: '', lastName: '', email: '', password: '', confirmPassword: '', terms: false }

export function RegisterForm() {
  const enter = useStartSession()
  const sendsMail = useQuery(configQuery).data?.mail.available
  const registration = useMutation({
    mutationFn: ({ terms: _, ...body }: z.infer<typeof registerSchema>) => api('post', '/api/register', { body }),
    onSuccess: (user) => {
      enter(user)
      const note = user.email && sendsMail ? `We sent a link to ${user.email} to confirm it.` : undefined
      toast({ title: 'Registration successful', description: `Welcome, ${user.username}!`, note })
    },
    onError: (error) => toastFailure('Registration failed', error),
  })
  const form = useForm({ resolver: zodResolver(registerSchema), defaultValues: EMPTY })
  const field = fieldsOf(form)
  const mailHint = sendsMail ? 'Needed to set a new password if you forget yours.' : undefined
  const { errors } = form.formState
  const [shown, setShown] = useState(false)
  const submit = form.handleSubmit((values) => {
    setShown(false) // Browsers save the values of text fields.
    registration.mutate(values, { onError: (error) => showServerFields(error, SERVER_FIELDS, form.setError) })
  }, registration.reset)
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <TextField label="Username" autoComplete="username" autoCapitalize="none" {...field('username')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="First name" optional autoComplete="given-name" {...field('firstName')} />
        <TextField label="Last name" optional autoComplete="family-name" {...field('lastName')} />
      </div>
      <TextField label="Email" optional hint={mailHint} type="email" autoComplete="email" {...field('email')} />
      <div className="grid gap-4 sm:grid-cols-2">
        <PasswordField autoComplete="new-password" shown={shown} onShown={setShown} {...field('password')} />
        <TextField
          label="Confirm password"
          type={shown ? 'text' : 'password'}
          autoComplete="new-password"
          {...field('confirmPassword')}
        />
      </div>
      <Checkbox
        label={
          <>
            I agree to the <PageLink to="/terms">terms and conditions</PageLink>
          </>
        }
        {...field('terms')}
      />
      <FormProblem error={registration.error} fields={Object.keys(errors).length} />
      <Button type="submit" variant="primary" busy={registration.isPending}>
        Register
      </Button>
    </form>
  )
}
