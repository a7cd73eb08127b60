import { zodResolver } from '@hookform/resolvers/zod'
import { useForm } from 'react-hook-form'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox, Field, Input } from '../../components/ui/field.tsx'
import { type LoginValues, loginSchema } from './schemas.ts'
import { showServerFields } from './server-fields.ts'
import { useLogin } from './use-sign-in.ts'

export function LoginForm() {
  const login = useLogin()
  const { register, handleSubmit, setError, formState } = useForm<LoginValues>({
    resolver: zodResolver(loginSchema),
    defaultValues: { username: '', password: '', rememberMe: true },
  })
  const { errors } = formState
  const submit = handleSubmit((values) =>
    login.mutate(values, { onError: (error) => showServerFields(error, ['username', 'password'], setError) }),
  )
  return (
    <form noValidate onSubmit={submit} className="grid gap-4">
      <Field label="Username" error={errors.username?.message}>
        {(control) => <Input {...control} autoComplete="username" autoCapitalize="none" {...register('username')} />}
      </Field>
      <Field label="Password" error={errors.password?.message}>
        {(control) => <Input {...control} type="password" autoComplete="current-password" {...register('password')} />}
      </Field>
      <Checkbox label="Remember me" {...register('rememberMe')} />
      <Button type="submit" variant="primary" busy={login.isPending}>
        Login
      </Button>
    </form>
  )
}
