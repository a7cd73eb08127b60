import { HardDriveDownload, type LucideIcon, MapPin, Mountain } from 'lucide-react'

const POINTS: { Icon: LucideIcon; title: string; text: string }[] = [
  {
    Icon: MapPin,
    title: 'GPS extraction',
    text: 'Position, altitude and time are read from every photo that your drone took.',
  },
  {
    Icon: Mountain,
    title: 'Landmark and state identification',
    text: 'Coordinates become places: the city and the state below you.',
  },
  {
    Icon: HardDriveDownload,
    title: 'Full-resolution storage',
    text: 'The original stays as it left the camera, byte for byte.',
  },
]

/** What the product does, beside the sign-in forms. */
export function Introduction() {
  return (
    <section className="flex flex-col justify-center rounded-lg bg-accent-soft p-6 sm:p-10">
      <h2 className="max-w-[18ch] text-2xl font-bold sm:text-3xl">Your drone photos, placed and shared</h2>
      <p className="mt-2 max-w-[46ch] text-pretty text-muted">
        Upload a flight, share the folder with a link, and let others choose the best three.
      </p>
      <ul className="mt-8 grid gap-6">
        {POINTS.map(({ Icon, title, text }) => (
          <li key={title} className="flex gap-4">
            <span aria-hidden className="grid size-10 shrink-0 place-items-center rounded-md bg-surface text-accent">
              <Icon className="size-5" />
            </span>
            <div>
              <h3 className="font-semibold">{title}</h3>
              <p className="max-w-[46ch] text-pretty text-muted">{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
