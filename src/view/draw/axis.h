/* A logarithmic axis of a plot: whole decades, where values stand, and which decades are labelled,
 * so that labels never meet. Knows nothing of drawing. */
#ifndef REC_VIEW_AXIS_H
#define REC_VIEW_AXIS_H

typedef struct rec_axis {
    int low, high; /* decades: it goes from 10^low to 10^high; low < high */
    int from, to;  /* where these two stand, pixels; `to` may be the smaller one */
} rec_axis;

/* The decades around the positive values least..most, at least one; `from` and `to` stay 0. */
rec_axis rec_axis_cover(double least, double most);

/* Where a positive value stands, pixels. */
double rec_axis_place(const rec_axis *axis, double value);

/* The decades from one label to the next, where labels stand `room` pixels apart or more: those
 * that are whole multiples of it are labelled. */
int rec_axis_step(const rec_axis *axis, int room);

/* 10^decade as a count: "1", "100", "10k", "1M", ... "100T", "1e15". Returns text. */
char *rec_axis_write_count(char text[16], int decade);

/* 10^decade as a level: "1000", "1", "0.01", and beyond "1e4", "1e-3". Returns text. */
char *rec_axis_write_level(char text[16], int decade);

#endif
