/** The text that says what is what in an export. */
export function readmeText(createdAt: Date): string {
  return `Skyfolio: export of ${createdAt.toISOString().slice(0, 10)}

This archive has your photos and what Skyfolio keeps of your account. Not in it: what administrators did to the account, and
addresses of images that were made for prints.

originals/      Your photos as you uploaded them, byte for byte, in directories with the names of your folders.
                "No folder" has those that are in none, "Metadata screen" those of the metadata screen.
photos/         What Skyfolio knows of each photo: title, description, place, date, metadata. Parts of 1,000 photos.
folders/        Your folders, with the results of the votes that they received.
orders/         Your print orders.
account/        Your profile, settings, sessions, and the list of mails that were sent to you.
manifest.json   One entry for each photo: its id, its path in this archive, its size in bytes and its SHA-256 checksum.
                "path" is null for a photo whose original is missing, "sha256" for one that was uploaded just before.

All files of data are JSON in UTF-8. Photos, folders and orders refer to each other by "id", "folderId" and "photoId".
Characters that some systems do not allow in names of files are replaced in the paths; the names that you gave are in
the data. Sizes and "quota" are in bytes. Times that end in Z are in UTC; "dateTaken" is the camera's time, without a zone.
"link" of a folder follows the address of this Skyfolio. "address" of a mail is null once the mail was sent.
`
}
