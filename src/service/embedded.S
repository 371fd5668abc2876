/* What embedded.h names. */
    .section .rodata
    .global embedded_page, embedded_page_end, embedded_descriptors, embedded_descriptors_end
embedded_page:
    .incbin "service/page.html"
embedded_page_end:
embedded_descriptors:
    .incbin "descriptors.bin"
embedded_descriptors_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
