import { useQuery } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import type { UserChanges } from '../../api/admin.ts'
import { configQuery } from '../../api/queries.ts'
import type { ManagedUser } from '../../api/types.ts'
import { Checkbox, Field, Input, Select } from '../../components/ui/field.tsx'
import { z } from '../../lib/zod.ts'

const MEGABYTE = 1_048_576
const QUOTA_UNITS = { MB: MEGABYTE, GB: 1024 * MEGABYTE } as const
type QuotaUnit = keyof typeof QUOTA_UNITS
interface TypedQuota {
  quotaAmount: string
  quotaUnit: QuotaUnit
}
/** What a quota may be at most: a thousand terabytes. */
const MAX_QUOTA = 1_000_000 * QUOTA_UNITS.GB

const QUOTA_MESSAGE = 'Enter a number of MB or GB, 0 or more'

/** The fields of the edit dialog, as they are typed. */
export const userSchema = z
  .object({
    firstName: z.string(),
    lastName: z.string(),
    email: z.pipe(z.string().check(z.trim()), z.union([z.literal(''), z.email('Invalid email address')])),
    isAdmin: z.boolean(),
    disabled: z.boolean(),
    quota: z.enum(['default', 'own']),
    quotaAmount: z.string(),
    quotaUnit: z.enum(['MB', 'GB']),
  })
  .check(
    z.refine((values) => values.quota === 'default' || quotaOf(values) !== null, {
      message: QUOTA_MESSAGE,
      path: ['quotaAmount'],
    }),
  )
export type UserValues = z.infer<typeof userSchema>

interface UserFieldsProps {
  form: UseFormReturn<UserValues>
  user: ManagedUser
  /** It is the administrator's own account. */
  own: boolean
  /** Nothing can be changed any more. */
  locked: boolean
}

/** What can be changed of a user, with what it means. */
export function UserFields({ form, user, own, locked }: UserFieldsProps) {
  const { register } = form
  const { errors } = form.formState
  return (
    <fieldset disabled={locked} className="grid gap-4">
      <legend className="sr-only">Account of {user.username}</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="First name" optional error={errors.firstName?.message}>
          {(control) => <Input {...control} data-autofocus dir="auto" autoComplete="off" {...register('firstName')} />}
        </Field>
        <Field label="Last name" optional error={errors.lastName?.message}>
          {(control) => <Input {...control} dir="auto" autoComplete="off" {...register('lastName')} />}
        </Field>
      </div>
      <Field label="Email" optional hint={<EmailHint form={form} user={user} />} error={errors.email?.message}>
        {(control) => <Input {...control} type="email" autoComplete="off" spellCheck={false} {...register('email')} />}
      </Field>
      <Quota form={form} />
      <div className="grid gap-3">
        <Checkbox
          label="Administrator"
          hint={
            own
              ? 'You. Without these rights you are signed out and cannot open this page any more.'
              : 'Sees, changes and deletes what all users have. Taking these rights away signs the user out.'
          }
          error={errors.isAdmin?.message}
          {...register('isAdmin')}
        />
        <Checkbox
          label="Disabled"
          hint={
            <>
              Signs {own ? 'you' : 'the user'} out everywhere and rejects the next sign-in. Public folders can no longer
              be opened by their links. All data is kept, and enabling the account makes it available again.
            </>
          }
          error={errors.disabled?.message}
          {...register('disabled')}
        />
      </div>
    </fieldset>
  )
}

/** What is known of the address, or what becomes of a changed one. */
function EmailHint({ form, user }: Pick<UserFieldsProps, 'form' | 'user'>) {
  const sendsMail = useQuery(configQuery).data?.mail?.available
  const typed = form.watch('email').trim()
  if (typed === (user.email ?? '')) {
    if (!user.email) return 'Without an address the user gets no mail and cannot reset a forgotten password.'
    return user.emailConfirmed ? 'Confirmed' : <span className="font-semibold text-warn">Not confirmed</span>
  }
  if (typed === '') return 'Without an address the user gets no mail and cannot reset a forgotten password.'
  if (sendsMail === false) return 'This installation sends no mail, so addresses cannot be confirmed.'
  return `The user confirms the new address with the link in a mail and the password.${
    user.email && user.emailConfirmed ? ` ${user.email} gets a notice with a link that takes the change back.` : ''
  }`
}

function Quota({ form }: Pick<UserFieldsProps, 'form'>) {
  const { register } = form
  const own = form.watch('quota') === 'own'
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Storage limit" hint={own ? undefined : "The operator sets the installation's default, or none."}>
        {(control) => (
          <Select {...control} {...register('quota')}>
            <option value="default">Installation's default</option>
            <option value="own">Own limit</option>
          </Select>
        )}
      </Field>
      {own && (
        <div className="grid grid-cols-[1fr_auto] items-start gap-2">
          <Field label="Limit" error={form.formState.errors.quotaAmount?.message}>
            {(control) => <Input {...control} inputMode="decimal" autoComplete="off" {...register('quotaAmount')} />}
          </Field>
          <Field label="Unit">
            {(control) => (
              <Select {...control} className="w-24" {...register('quotaUnit')}>
                {Object.keys(QUOTA_UNITS).map((unit) => (
                  <option key={unit}>{unit}</option>
                ))}
              </Select>
            )}
          </Field>
        </div>
      )}
    </div>
  )
}

/** The values of the dialog for a user. */
export function valuesOf(user: ManagedUser): UserValues {
  const { firstName, lastName, email, isAdmin, disabled, quota } = user
  return {
    firstName: firstName ?? '',
    lastName: lastName ?? '',
    email: email ?? '',
    isAdmin,
    disabled,
    quota: quota === null ? 'default' : 'own',
    ...quotaFields(quota),
  }
}

/** A quota as number and unit, without rounding. */
function quotaFields(quota: number | null): TypedQuota {
  if (quota === null) return { quotaAmount: '', quotaUnit: 'GB' }
  const quotaUnit = quota > 0 && quota % QUOTA_UNITS.GB === 0 ? 'GB' : 'MB'
  return { quotaAmount: plainNumber(quota / QUOTA_UNITS[quotaUnit]), quotaUnit }
}

/** Exact to the byte, without an exponent. */
function plainNumber(value: number): string {
  return value.toFixed(8).replace(/\.?0+$/, '')
}

/** The typed quota in bytes; null for a text that is none. */
function quotaOf({ quotaAmount, quotaUnit }: TypedQuota): number | null {
  const text = quotaAmount.trim().replace(/^(\d+),(\d)/, '$1.$2')
  if (!/^\d+(\.\d+)?$/.test(text)) return null
  const bytes = Math.round(Number(text) * QUOTA_UNITS[quotaUnit])
  return bytes <= MAX_QUOTA ? bytes : null
}

/** What is sent: only the fields that differ from the user, so that a change by somebody else stays. */
export function changesOf(user: ManagedUser, values: UserValues): UserChanges {
  const before = sentOf(valuesOf(user))
  const typed = sentOf(values)
  const fields = Object.keys(typed) as (keyof UserChanges)[]
  return Object.fromEntries(fields.filter((name) => typed[name] !== before[name]).map((name) => [name, typed[name]]))
}

function sentOf({ firstName, lastName, email, isAdmin, disabled, ...quota }: UserValues): Required<UserChanges> {
  return {
    firstName: firstName.trim() || null,
    lastName: lastName.trim() || null,
    email: email.trim() || null,
    isAdmin,
    disabled,
    quota: quota.quota === 'default' ? null : quotaOf(quota),
  }
}
