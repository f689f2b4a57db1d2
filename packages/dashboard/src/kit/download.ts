/** Saves what an address stands for as a file of the person. */
export const saveAddress = (name: string, address: string) => {
  const anchor = document.createElement("a")
  anchor.href = address
  anchor.download = name
  anchor.click()
}

/** Saves a text as a file of the person, such as a CSV file. */
export const saveText = (name: string, mediaType: string, text: string) => {
  const address = URL.createObjectURL(new Blob([text], { type: `${mediaType};charset=utf-8` }))
  saveAddress(name, address)
  URL.revokeObjectURL(address)
}

/** The name of a file, without the characters that file systems refuse. */
export const fileName = (name: string) => name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").replaceAll(/^-|-$/g, "")
