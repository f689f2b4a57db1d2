/** A device as lists without `include=commandDetails` have it. */
export const withBriefCommands = (device: any) => ({
  ...device,
  availableCommands: device.availableCommands.map(({ slug, description }: any) => ({ slug, description }))
})
