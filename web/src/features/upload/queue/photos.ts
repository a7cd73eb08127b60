/** A file by itself, or the JPEG and the raw file of one shot. */
export type PhotoOf<T> = readonly [file: T, ...raw: T[]]

const NAME = /^(.+)\.(?:(jpe?g)|dng|tiff?)$/i

/**
 * Pairs the files whose `nameOf` differs only in its extension; a pair is listed where its JPEG is. That is only a guess: the server compares the
 * date, too. Of files that are listed twice, the later ones belong together.
 */
export function photosOf<T>(files: readonly T[], nameOf: (file: T) => string): PhotoOf<T>[] {
  const raws = new Map<T, T>()
  const single = new Map<string, T[]>()
  for (const file of files.toReversed()) {
    const [, shot, isJpeg] = NAME.exec(nameOf(file)) ?? []
    if (shot === undefined) continue
    const [own, wanted] = isJpeg ? [`${shot}.jpeg`, `${shot}.raw`] : [`${shot}.raw`, `${shot}.jpeg`]
    const other = single.get(wanted)?.pop()
    if (other) raws.set(isJpeg ? file : other, isJpeg ? other : file)
    else if (single.get(own)?.push(file) === undefined) single.set(own, [file])
  }
  const paired = new Set(raws.values())
  return files
    .filter((file) => !paired.has(file))
    .map((file) => {
      const raw = raws.get(file)
      return raw === undefined ? [file] : [file, raw]
    })
}
