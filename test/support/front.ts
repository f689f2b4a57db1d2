/** Where clients reach what listens at an address: there, unless a set-up file puts something in front of it. */
export const front = { of: async (address: string): Promise<string> => address }
