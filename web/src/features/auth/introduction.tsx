import { HardDriveDownload, type LucideIcon, MapPin, Mountain } from 'lucide-react'
import photo from './surf.webp'
import mediumPhoto from './surf-medium.webp'
import smallPhoto from './surf-small.webp'

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

/** What the product does: beside the sign-in forms, or below them on small screens, where the picture loads when it comes near. */
export function Introduction() {
  return (
    <section className="overflow-hidden rounded-lg bg-accent-soft">
      <img
        src={photo}
        srcSet={`${smallPhoto} 512w, ${mediumPhoto} 704w, ${photo} 1024w`}
        sizes="(min-width: 1024px) 530px, calc(100vw - 32px)"
        width={1024}
        height={683}
        alt="Waves breaking on a sandy coast, seen from above"
        loading="lazy"
        decoding="async"
        fetchPriority="low"
        className="aspect-2/1 h-auto w-full bg-sunken object-cover lg:aspect-3/2"
      />
      <div className="p-5 sm:p-8">
        <h2 className="text-xl font-bold sm:text-2xl">Your drone photos, placed and shared</h2>
        <ul className="mt-4 grid gap-4">
          {POINTS.map(({ Icon, title, text }) => (
            <li key={title} className="flex gap-3">
              <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
              <div>
                <h3 className="font-semibold">{title}</h3>
                <p className="text-sm text-pretty text-muted">{text}</p>
              </div>
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}
