import { describe, expect, test } from 'vitest'
import type { AppConfig } from '../src/api/types.ts'
import { EMPTY_SELECTION } from '../src/features/upload/dialog-state.ts'
import { addFiles, type FoundFile, uploadRequirements, walk } from '../src/features/upload/file-selection.ts'

const MB = 1_048_576
const config: AppConfig = {
  limits: {
    filesPerUpload: 10,
    fileBytes: 25 * MB,
    largeFileBytes: 150 * MB,
    metadataFileBytes: 50 * MB,
    minWidth: 300,
    minHeight: 300,
    maxPixels: 300_000_000,
  },
  formats: [
    { name: 'JPEG', mediaType: 'image/jpeg', extensions: ['.jpg', '.jpeg'], maxBytes: 25 * MB },
    { name: 'TIFF', mediaType: 'image/tiff', extensions: ['.tif', '.tiff'], maxBytes: 150 * MB },
    { name: 'DNG', mediaType: 'image/x-adobe-dng', extensions: ['.dng'], maxBytes: 150 * MB },
  ],
  uploads: { partBytes: 8 * MB, minPartBytes: 5 * MB, maxPartBytes: 32 * MB, direct: false },
  printing: { available: true, sandbox: false },
  mail: { available: true },
  map: { base: null, minZoom: 0, maxZoom: 8, detail: null, attribution: '', layers: [] },
  accounts: { deletionDays: 7 },
}

const file = (name: string, bytes = 1, lastModified = 1) => {
  const made = new File(['x'], name, { lastModified })
  Object.defineProperty(made, 'size', { value: bytes })
  return made
}
const take = (chosen: FoundFile[], before = EMPTY_SELECTION) => addFiles(before, chosen, config, () => {})

describe('adding chosen files', () => {
  test('photos are accepted by name, each with the limit of its format', async () => {
    const found = await take([
      { file: file('A.JPG'), path: '' },
      { file: file('b.dng', 150 * MB), path: '' },
      { file: file('c.jpg', 25 * MB + 1), path: '' },
      { file: file('d.jpg', 0), path: '' },
      { file: file('notes.txt'), path: '' },
    ])
    expect(found.photos.map(({ file }) => file.name)).toEqual(['A.JPG', 'b.dng'])
    expect(found.bytes).toBe(150 * MB + 1)
    expect(found.issues).toEqual([
      'c.jpg is 25.00 MB: larger than 25MB.',
      'd.jpg is empty.',
      'notes.txt is not a photo in one of the formats JPEG, TIFF, and DNG.',
    ])
  })

  test('other files of a folder are counted as skipped, hidden ones are ignored', async () => {
    const found = await take([
      { file: file('a.jpg'), path: '100MEDIA' },
      { file: file('a.srt'), path: '100MEDIA' },
      { file: file('._a.jpg'), path: '100MEDIA' },
      { file: file('b.jpg'), path: '100MEDIA/.thumbs' },
    ])
    expect(found.photos).toHaveLength(1)
    expect(found).toMatchObject({ skipped: 1, issues: [] })
  })

  test('files of operating systems are left out of any selection without a word', async () => {
    const hidden = ['._DJI_1.JPG', '._DJI_2.DNG', '.DS_Store', 'Thumbs.db', 'ehthumbs_vista.db', 'Desktop.ini']
    const folders = [
      '__MACOSX/100MEDIA',
      '.Spotlight-V100',
      '$RECYCLE.BIN',
      'System Volume Information',
      '100MEDIA/@eaDir',
    ]
    for (const path of ['', '100MEDIA']) {
      const chosen = ['DJI_1.JPG', ...hidden].map((name) => ({ file: file(name), path }))
      const inside = folders.map((folder) => ({ file: file('DJI_1.JPG'), path: folder }))
      const found = await take([...chosen, ...inside, { unreadable: '._DJI_3.JPG' }])
      expect(found.photos.map(({ file }) => file.name)).toEqual(['DJI_1.JPG'])
      expect(found).toMatchObject({ skipped: 0, issues: [] })
    }
    const issues = ['Only hidden files were chosen, no photos.']
    expect(await take([{ file: file('._DJI_1.JPG'), path: '' }])).toMatchObject({ photos: [], issues })
  })

  test('a file is added once, equal names in two folders are two files', async () => {
    const first = await take([{ file: file('DJI_1.JPG'), path: '100MEDIA' }])
    const second = await take(
      [
        { file: file('DJI_1.JPG'), path: '100MEDIA' },
        { file: file('DJI_1.JPG'), path: '101MEDIA' },
      ],
      first,
    )
    expect(second.photos.map(({ path }) => path)).toEqual(['100MEDIA', '101MEDIA'])
  })

  test('5,000 files are all added', async () => {
    const found = await take(Array.from({ length: 5000 }, (_, i) => ({ file: file(`DJI_${i}.JPG`), path: 'flight' })))
    expect(found.photos).toHaveLength(5000)
  })
})

describe('a dropped folder', () => {
  test('is read completely although it returns a hundred entries at a time', async () => {
    const tree = folder('/flight', [
      ...Array.from({ length: 250 }, (_, i) => fileEntry(`/flight/DJI_${i}.JPG`)),
      folder('/flight/raw', [fileEntry('/flight/raw/a.dng')]),
      folder('/flight/.trash', [fileEntry('/flight/.trash/old.jpg')]),
      fileEntry('/flight/.DS_Store'),
    ])
    const found: FoundFile[] = []
    for await (const one of walk(tree)) found.push(one)
    expect((await take(found)).photos).toHaveLength(251)
    expect(found.at(-1)).toMatchObject({ path: 'flight/raw' })
  })

  test('reports what cannot be read and continues', async () => {
    const tree = folder('/flight', [fileEntry('/flight/bad.jpg', true), fileEntry('/flight/good.jpg')])
    const found: FoundFile[] = []
    for await (const one of walk(tree)) found.push(one)
    expect(found).toMatchObject([{ unreadable: 'bad.jpg' }, { path: 'flight' }])
    expect((await take(found)).issues).toEqual(['bad.jpg could not be read.'])
  })
})

function fileEntry(fullPath: string, broken = false): FileSystemEntry {
  const name = fullPath.slice(fullPath.lastIndexOf('/') + 1)
  const give = (resolve: (file: File) => void, reject: (error: Error) => void) =>
    broken ? reject(new Error('broken')) : resolve(file(name))
  return { name, fullPath, isFile: true, isDirectory: false, file: give } as unknown as FileSystemEntry
}

function folder(fullPath: string, entries: FileSystemEntry[]): FileSystemEntry {
  const name = fullPath.slice(fullPath.lastIndexOf('/') + 1)
  const createReader = () => {
    let at = 0
    return {
      readEntries(resolve: (entries: FileSystemEntry[]) => void) {
        resolve(entries.slice(at, at + 100))
        at += 100
      },
    }
  }
  return { name, fullPath, isFile: false, isDirectory: true, createReader } as unknown as FileSystemEntry
}

test('the requirements state each configured limit once', () => {
  expect(uploadRequirements(config)).toEqual([
    'JPEG, TIFF, and DNG, up to 25MB each, max 10 files per request; larger selections are sent in groups',
    'TIFF and DNG up to 150MB',
    'At least 300x300 pixels, 1200x1800 or more recommended; at most 300 megapixels',
    'sRGB color space recommended',
  ])
})
