import { useId } from 'react'
import type { User } from '../../api/types.ts'
import { Switch } from '../../components/ui/switch.tsx'
import type { ProfileValues } from './profile-draft.ts'
import { useSendsMail } from './profile-email.tsx'

interface PreferencesProps {
  user: User
  values: ProfileValues
  onChange: (edits: Partial<ProfileValues>) => void
}

/** Both preferences, saved with the form. */
export function Preferences({ user, values, onChange }: PreferencesProps) {
  const sendsMail = useSendsMail()
  return (
    <>
      <Preference
        label="New photos are public"
        explanation="The default of the upload form, for photos without a folder. Visitors see a public photo only once it is in a public folder; in a folder, new photos take its setting."
        checked={values.publicByDefault}
        onChange={(publicByDefault) => onChange({ publicByDefault })}
      />
      <Preference
        label="Mail notices"
        explanation={`A mail when photos of an upload could not be processed, and when a print order is ready. ${noticeLimit(user, sendsMail)}`}
        checked={values.emailNotifications}
        onChange={(emailNotifications) => onChange({ emailNotifications })}
      />
    </>
  )
}

/** Why no notice arrives although they are on. */
function noticeLimit(user: User, sendsMail: boolean | undefined): string {
  if (sendsMail === false) return 'This installation sends no mail.'
  return user.emailConfirmed ? 'Mails about your password and address are always sent.' : 'Needs a confirmed address.'
}

interface PreferenceProps {
  label: string
  explanation: string
  checked: boolean
  onChange: (checked: boolean) => void
}

function Preference({ label, explanation, checked, onChange }: PreferenceProps) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <p id={`${id}-label`} className="font-semibold">
          {label}
        </p>
        <p id={`${id}-explanation`} className="text-sm text-pretty text-muted">
          {explanation}
        </p>
      </div>
      <Switch
        checked={checked}
        onCheckedChange={onChange}
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-explanation`}
      />
    </div>
  )
}
